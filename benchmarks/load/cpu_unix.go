//go:build unix

package main

import (
	"syscall"
	"time"
)

// processCPU is the time that this process has used of all processors.
func processCPU() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
