package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"
)

// DefaultImage is the image that the source Docker runs.
const DefaultImage = "postgres:17-alpine"

const containerPort = "5432/tcp"

// container is a server in Docker.
type container struct {
	pool     *dockertest.Pool
	name     string
	password string
}

func startContainer(ctx context.Context, opts Options) (*Server, error) {
	if opts.DataDir != "" {
		return nil, errors.New("a server in Docker does not keep its data in a directory of the host")
	}
	pool, err := dockertest.NewPool("")
	if err != nil {
		return nil, fmt.Errorf("find Docker: %w", err)
	}
	if err := pingDocker(ctx, pool); err != nil {
		return nil, err
	}
	image := opts.Image
	if image == "" {
		image = DefaultImage
	}
	if err := pullImage(ctx, pool, image, opts); err != nil {
		return nil, err
	}
	progress(opts, "starting a container of %s", image)
	c := &container{pool: pool, name: "resourcery-postgres-" + strings.ToLower(rand.Text()), password: rand.Text()}
	server, err := c.start(ctx, image, opts.Lifetime)
	if err != nil {
		return nil, errors.Join(err, c.remove())
	}
	return server, nil
}

func pingDocker(ctx context.Context, pool *dockertest.Pool) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := pool.Client.PingWithContext(ctx); err != nil {
		return fmt.Errorf("reach Docker: %w", err)
	}
	return nil
}

// pullImage fetches the image unless it is there. Left to RunWithOptions, the
// pull could not be cancelled.
func pullImage(ctx context.Context, pool *dockertest.Pool, image string, opts Options) error {
	repository, tag := splitImage(image)
	_, err := pool.Client.InspectImage(repository + ":" + tag)
	if err == nil {
		return nil
	}
	if !errors.Is(err, docker.ErrNoSuchImage) {
		return fmt.Errorf("look for the image %s: %w", image, err)
	}
	progress(opts, "pulling %s", image)
	err = pool.Client.PullImage(docker.PullImageOptions{
		Context: ctx, Repository: repository, Tag: tag, InactivityTimeout: time.Minute,
	}, docker.AuthConfiguration{})
	if err != nil {
		return fmt.Errorf("pull %s: %w", image, err)
	}
	return nil
}

func (c *container) start(ctx context.Context, image string, lifetime time.Duration) (*Server, error) {
	repository, tag := splitImage(image)
	var command []string
	for _, setting := range fastSettings {
		command = append(command, "-c", setting)
	}
	host, bind := dockerHost()
	resource, err := c.pool.RunWithOptions(&dockertest.RunOptions{
		Name:       c.name,
		Repository: repository,
		Tag:        tag,
		Env: []string{
			"POSTGRES_PASSWORD=" + c.password,
			"POSTGRES_INITDB_ARGS=--locale=C.UTF-8 --encoding=UTF8 --no-sync",
		},
		Cmd:          command,
		ExposedPorts: []string{containerPort},
		PortBindings: map[docker.Port][]docker.PortBinding{containerPort: {{HostIP: bind}}},
		Labels:       map[string]string{"resourcery": "postgres"},
	}, func(config *docker.HostConfig) { config.AutoRemove = true })
	if err != nil {
		return nil, fmt.Errorf("run a container of %s: %w", image, err)
	}
	if lifetime > 0 {
		if err := resource.Expire(uint(lifetime.Seconds())); err != nil {
			return nil, fmt.Errorf("limit the container's life: %w", err)
		}
	}
	dsn := dsnURL(c.password, net.JoinHostPort(host, resource.GetPort(containerPort)))
	following, unfollow := context.WithCancel(ctx)
	defer unfollow()
	log, ended := c.followLog(following)
	version, err := awaitReady(ctx, dsn, ended)
	if err != nil {
		unfollow()
		<-ended
		return nil, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(log.Bytes()))
	}
	return &Server{DSN: dsn, Version: version, Source: Docker, stop: c.remove}, nil
}

// splitImage takes name:tag apart. A colon before a slash is a registry's
// port.
func splitImage(image string) (repository, tag string) {
	colon := strings.LastIndexByte(image, ':')
	if colon < 0 || strings.Contains(image[colon:], "/") {
		return image, "latest"
	}
	return image[:colon], image[colon+1:]
}

// dockerHost is where published ports are reached, and the address that they
// are bound to there: the loopback unless Docker runs on another machine.
func dockerHost() (host, bind string) {
	daemon, err := url.Parse(os.Getenv("DOCKER_HOST"))
	if err == nil && daemon.Scheme == "tcp" && daemon.Hostname() != "" {
		return daemon.Hostname(), "0.0.0.0"
	}
	return "127.0.0.1", "127.0.0.1"
}

// followLog collects the container's output: a container that removes itself
// takes its log along. ended is closed when the container or ctx ends, and log
// may be read from then on.
func (c *container) followLog(ctx context.Context) (log *bytes.Buffer, ended <-chan struct{}) {
	log = new(bytes.Buffer)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// What is missing from the log is no reason to fail.
		_ = c.pool.Client.Logs(docker.LogsOptions{
			Context: ctx, Container: c.name, OutputStream: log, ErrorStream: log,
			Stdout: true, Stderr: true, Follow: true,
		})
	}()
	return log, done
}

// remove kills the container and removes it with its volumes. One that is
// gone already is no error.
func (c *container) remove() error {
	err := c.pool.Client.RemoveContainer(docker.RemoveContainerOptions{ID: c.name, Force: true, RemoveVolumes: true})
	var gone *docker.NoSuchContainer
	if err != nil && !errors.As(err, &gone) && !strings.Contains(err.Error(), "already in progress") {
		return fmt.Errorf("remove the container: %w", err)
	}
	return nil
}
