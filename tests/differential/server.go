// Go's net/http for the comparison: server.go SOCKET serves on a Unix socket until its standard
// input ends. What it reads it answers as outcome.hpp says.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sort"
	"strings"
)

func hash(text string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(text); i++ {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}

// Fields that frame the message or are taken out of the map by net/http.
var left_out = map[string]bool{
	"host": true, "content-length": true, "transfer-encoding": true, "connection": true,
	"trailer": true, "expect": true,
}

func fields(h http.Header) string {
	var all []string
	for name, values := range h {
		name = strings.ToLower(name)
		for _, value := range values {
			if !left_out[name] {
				all = append(all, name+":"+value+"\n")
			}
		}
	}
	sort.Strings(all)
	return strings.Join(all, "")
}

func answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("X-Read", fmt.Sprintf("m%x t%x h%x b%d:%x f%x", hash(r.Method),
		hash(r.RequestURI), hash(r.Host), len(body), hash(string(body)), hash(fields(r.Header))))
	w.Header().Set("Content-Length", "0")
}

func main() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	log.SetOutput(io.Discard) // it tells of each connection that ends badly
	go http.Serve(listener, http.HandlerFunc(answer))
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
}
