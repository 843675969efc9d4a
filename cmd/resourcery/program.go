package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/config"
)

// configFlag names the configuration file, so it cannot be a key of it.
const configFlag = "config"

// A program is the command line with its surroundings.
type program struct {
	stdout, stderr io.Writer
	lookup         func(string) (string, bool) // of the environment
	keys           []string                    // what a configuration file may set: the flags of all commands
}

func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "resourcery",
		Short: "Serve a Postgres database as JSON:API v1.1",
		Long: "Serve a Postgres database as JSON:API v1.1.\n\n" +
			"Every flag can be set by an environment variable, --page-size by " + config.Variable("page-size") + ",\n" +
			"and by a key of the configuration file, page-size; the command line wins over the\n" +
			"environment, the environment over the file.",
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              noArguments,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.AddCommand(p.demoCommand(), p.serveCommand(), p.explainCommand(), p.introspectCommand(), p.checkCommand())
	seen := map[string]bool{configFlag: true}
	for _, c := range root.Commands() {
		c.Flags().SortFlags = false
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !seen[f.Name] {
				seen[f.Name] = true
				p.keys = append(p.keys, f.Name)
			}
		})
	}
	return root
}

// settle sets what the command line left out, and returns the configuration
// file. A command without a --config flag reads none.
func (p *program) settle(flags *pflag.FlagSet) (*config.File, error) {
	file := &config.File{}
	if named := flags.Lookup(configFlag); named != nil {
		var err error
		if file, err = p.configuration(named); err != nil {
			return nil, err
		}
	}
	if err := config.Apply(flags, p.lookup, file); err != nil {
		return nil, err
	}
	return file, nil
}

func (p *program) configuration(named *pflag.Flag) (*config.File, error) {
	path := named.Value.String()
	if text, ok := p.lookup(config.Variable(configFlag)); ok && !named.Changed {
		path = text
	}
	return config.Read(path, p.keys)
}

// logger returns the log of a command that serves.
func (p *program) logger() *slog.Logger { return slog.New(slog.NewTextHandler(p.stderr, nil)) }

// noArguments refuses arguments without quoting them: a connection string that
// lost its flag has a password in it.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unknown argument; `%s --help` lists what there is", cmd.CommandPath())
	}
	return nil
}

// warnings returns the log of a command that answers on standard output: what
// is no warning would only be in the way.
func (p *program) warnings() *slog.Logger {
	return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
