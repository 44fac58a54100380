// The two ends of HTTP as Go has them, for http_interop_test.py:
//
//	server        prints PORT n, and serves until its standard input ends
//	client URL    asks a server that answers as this one does, and prints what is wrong
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"time"
)

var large = strings.Repeat("z", 300_000)

func routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Method", r.Method)
		w.Header().Set("X-Expect", r.Header.Get("Expect"))
		body, _ := io.ReadAll(r.Body)
		w.Write(body)
	})
	mux.HandleFunc("/chunks", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		for i := 0; i < 10; i++ {
			io.WriteString(w, large[:len(large)/10])
			w.(http.Flusher).Flush()
		}
		w.Header().Set("X-Sum", "1")
	})
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		io.Copy(w, r.Body)
	})
	// Has the request's trailers behind the answer, and in front of the body how it came.
	mux.HandleFunc("/trailers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d ", r.ContentLength)
		w.Write(body)
		w.Header().Set("X-Sum", r.Trailer.Get("X-Sum"))
		w.Header().Set(http.TrailerPrefix+"X-Late", "1")
	})
	mux.HandleFunc("/refuse", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) })
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</x>")
		w.WriteHeader(103)
		io.WriteString(w, "early")
	})
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "echo")
		w.WriteHeader(307)
	})
	mux.HandleFunc("/wait", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Second):
		}
	})
	return mux
}

func serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("PORT", l.Addr().(*net.TCPAddr).Port)
	go http.Serve(l, routes())
	io.Copy(io.Discard, os.Stdin)
}

var (
	mu     sync.Mutex
	failed bool
)

func expect(holds bool, what string) {
	mu.Lock()
	defer mu.Unlock()
	if !holds {
		fmt.Println("not so:", what)
		failed = true
	}
}

func perform(c *http.Client, r *http.Request) (string, *http.Response, error) {
	resp, err := c.Do(r)
	if err != nil {
		return "", nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), resp, err
}

func request(method, url, body string) *http.Request {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	return r
}

func ask(url string) {
	c := &http.Client{Timeout: 20 * time.Second,
		Transport: &http.Transport{ExpectContinueTimeout: 10 * time.Second}}
	reused := 0
	for i := 0; i < 3; i++ {
		r := request("POST", url+"/echo", "hello")
		trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
			if i.Reused {
				reused++
			}
		}}
		body, resp, err := perform(c, r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
		expect(err == nil && body == "hello" && resp.Header.Get("X-Method") == "POST", "echo")
	}
	expect(reused == 2, "connections are kept")
	body, _, err := perform(c, request("GET", url+"/chunks", ""))
	expect(err == nil && body == large, "chunks")
	body, _, err = perform(c, request("POST", url+"/stream", large))
	expect(err == nil && body == large, "a body both ways")
	// A body whose length nobody knows goes in chunks, here with a trailer.
	r := request("POST", url+"/echo", "")
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader([]byte(large))), -1
	r.Trailer = http.Header{"X-Sum": {"1"}}
	body, _, err = perform(c, r)
	expect(err == nil && body == large, "chunks with a trailer")
	body, _, err = perform(c, request("GET", url+"/early", ""))
	expect(err == nil && body == "early", "103")
	_, resp, err := perform(c, request("GET", url+"/nothing", ""))
	expect(err == nil && resp.StatusCode == 204, "204")
	_, resp, err = perform(c, request("HEAD", url+"/chunks", ""))
	expect(err == nil && resp.StatusCode == 200, "HEAD")
	body, _, err = perform(c, request("POST", url+"/redirect", "again"))
	expect(err == nil && body == "again", "307")
	continued := false
	r = request("PUT", url+"/echo", "body")
	r.Header.Set("Expect", "100-continue")
	trace := &httptrace.ClientTrace{Got100Continue: func() { continued = true }}
	body, _, err = perform(c, r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	expect(err == nil && body == "body" && continued, "100-continue")
	askForBodies(c, url)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	_, _, err = perform(c, request("GET", url+"/wait", "").WithContext(ctx))
	expect(errors.Is(err, context.DeadlineExceeded), "a context's end")
	var all sync.WaitGroup
	for g := 0; g < 8; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := 0; i < 20; i++ {
				sent := strings.Repeat("x", 1000*g)
				body, _, err := perform(c, request("POST", url+"/echo", sent))
				expect(err == nil && body == sent, "echo beside others")
			}
		}()
	}
	all.Wait()
}

// A body of which nobody knows the length, nor the sum before its end.
type summed struct {
	io.Reader
	r    *http.Request
	read bool
}

func (s *summed) Read(to []byte) (int, error) {
	s.read = true
	n, err := s.Reader.Read(to)
	if err == io.EOF {
		s.r.Trailer.Set("X-Sum", "all of it")
	}
	return n, err
}
func (s *summed) Close() error { return nil }

func askForBodies(c *http.Client, url string) {
	for _, length := range []int64{-1, int64(len(large))} {
		r := request("POST", url+"/trailers", "")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(large)), length
		if length < 0 {
			r.Trailer = http.Header{"X-Sum": nil}
			r.Body = &summed{strings.NewReader(large), r, false}
		}
		body, resp, err := perform(c, r)
		expect(err == nil && body == fmt.Sprint(length, " ", large), "a body that streams")
		expect(err == nil && (resp.Trailer.Get("X-Sum") == "all of it") == (length < 0), "trailers")
		expect(err == nil && resp.Trailer.Get("X-Late") == "1", "a trailer that is not announced")
	}
	for _, target := range []string{"/refuse", "/echo"} {
		r := request("PUT", url+target, "")
		sent := &summed{strings.NewReader(large), r, false}
		r.Body, r.ContentLength, r.Trailer = sent, -1, http.Header{"X-Sum": nil}
		r.Header.Set("Expect", "100-continue")
		body, resp, err := perform(c, r)
		refused := target == "/refuse"
		expect(err == nil && sent.read != refused, "the body goes only where it is wanted")
		expect(err == nil && (resp.StatusCode == 403) == refused, "the status")
		expect(err == nil && (body == large) != refused, "the body behind 100-continue")
	}
}

func main() {
	if os.Args[1] == "server" {
		serve()
	} else {
		ask(os.Args[2])
	}
	if failed {
		os.Exit(1)
	}
}
