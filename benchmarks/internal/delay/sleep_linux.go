package delay

import (
	"syscall"
	"time"
)

// sleep is more exact than time.Sleep, which may be a millisecond late: an idle
// process of Go waits for timers in whole milliseconds.
func sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	rest := syscall.NsecToTimespec(d.Nanoseconds())
	for syscall.Nanosleep(&rest, &rest) == syscall.EINTR {
		continue
	}
}
