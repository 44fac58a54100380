//go:build go1.25

package main

import (
	"net"
	"os"
	"runtime/trace"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

// The same as bench/trace_cost.cpp, function by function.

func roundTrips(n int) {
	a, b := make(chan int), make(chan int)
	var done sync.WaitGroup
	done.Go(func() {
		for range n {
			b <- <-a
		}
	})
	for i := range n {
		a <- i
		<-b
	}
	done.Wait()
}

func items(capacity int) func(n int) {
	return func(n int) {
		ch := make(chan int, capacity)
		var producers, consumers sync.WaitGroup
		for range 4 {
			producers.Go(func() {
				for i := range n / 4 {
					ch <- i
				}
			})
			consumers.Go(func() {
				for range ch {
				}
			})
		}
		producers.Wait()
		close(ch)
		consumers.Wait()
	}
}

func echo(n int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	var done sync.WaitGroup
	done.Go(func() {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		buffer := make([]byte, 64)
		for range n {
			k, _ := c.Read(buffer)
			c.Write(buffer[:k])
		}
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	defer c.Close()
	buffer := make([]byte, 64)
	for range n {
		c.Write(buffer)
		c.Read(buffer)
	}
	done.Wait()
}

func spin(x uint64) uint64 {
	for range 2000 {
		x = (x ^ x>>7) * 0x9e37_79b9_7f4a_7c15
	}
	return x
}

func requests(n int) {
	a, b := make(chan uint64), make(chan uint64)
	var done sync.WaitGroup
	done.Go(func() {
		for range n {
			b <- spin(<-a)
		}
	})
	x := uint64(1)
	for range n {
		a <- spin(x)
		x = <-b
	}
	done.Wait()
}

func cpuNS() float64 {
	const processCPU = 2 // CLOCK_PROCESS_CPUTIME_ID
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, processCPU, uintptr(unsafe.Pointer(&t)), 0)
	return float64(t.Nano())
}

func traceCost(f func(n int), n int, start, stop func()) (running, whole float64) {
	a := cpuNS()
	start()
	b := cpuNS()
	f(n)
	c := cpuNS()
	stop()
	return c - b, cpuNS() - a
}

func init() {
	workloads["trace_cost"] = func() {
		path := os.TempDir() + "/trace_cost.go"
		defer os.Remove(path)
		var file *os.File
		all := func(name string, f func(n int)) {
			if only := os.Getenv("TRACE_COST"); only != "" && !strings.Contains(only, name) {
				return
			}
			n := 64
			for want := float64(repMS) * 1e5; ; n *= 2 {
				a := cpuNS()
				f(n)
				if took := cpuNS() - a; took >= want/4 {
					n = int(float64(n)*want/took) / 4 * 4
					break
				}
			}
			compare := func(mode string, start, stop func()) {
				var off, running, whole []float64
				for range reps * 5 {
					without, _ := traceCost(f, n, func() {}, func() {})
					r, w := traceCost(f, n, start, stop)
					off = append(off, without/float64(n))
					running = append(running, r/without)
					whole = append(whole, w/without)
				}
				prefix := "trace_cost." + name + "." + mode
				emit(prefix+".off", median(off), "ns/op")
				emit(prefix+".running", median(running), "x")
				emit(prefix+".whole", median(whole), "x")
			}
			compare("off", func() {}, func() {})
			compare("trace", func() {
				var err error
				if file, err = os.Create(path); err == nil {
					err = trace.Start(file)
				}
				if err != nil {
					panic(err)
				}
			}, func() {
				trace.Stop()
				file.Close()
			})
			box := trace.NewFlightRecorder(trace.FlightRecorderConfig{})
			compare("recorder", func() {
				if err := box.Start(); err != nil {
					panic(err)
				}
			}, box.Stop)
		}
		all("ping_pong", roundTrips)
		all("chan_mpmc", items(128))
		all("chan_unbuffered_mpmc", items(0))
		all("tcp_echo", echo)
		all("requests", requests)
	}
}
