// Package config settles what each flag of a command is: given on the command
// line, else by the environment, else by the configuration file, else its
// default (contract 11.1). Errors name the place that a value came from. They
// quote no line of the file and no value of a flag that takes any text, as
// these hold secrets.
//
// It knows no flag by name and no overlay: `models` is handed on unread.
package config
