// The informer of client-go in the bench: fills its cache with the ConfigMaps of a namespace and prints one line of
// JSON with the time until it has synced and the memory of the process a second later.
//
// usage: informer KUBECONFIG NAMESPACE [CONTENT-TYPE]
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	if len(os.Args) > 3 {
		config.ContentType = os.Args[3]
		config.AcceptContentTypes = os.Args[3]
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	check(err)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(os.Args[2]))
	informer := factory.Core().V1().ConfigMaps().Informer()
	before := cpu()
	begin := time.Now()
	factory.Start(context.Background().Done())
	// WaitForCacheSync would add up to 100 ms.
	for !informer.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	milliseconds := float64(time.Since(begin).Microseconds()) / 1000
	used := cpu() - before
	time.Sleep(time.Second)
	line, err := json.Marshal(map[string]any{
		"milliseconds": milliseconds,
		"cpu":          float64(used.Microseconds()) / 1000,
		"objects":      len(informer.GetStore().ListKeys()),
		"resident":     resident(),
	})
	check(err)
	fmt.Println(string(line))
}

func cpu() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func resident() int {
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	for _, line := range strings.Split(string(status), "\n") {
		if name, value, found := strings.Cut(line, ":"); found && name == "VmRSS" {
			kilobytes, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			check(err)
			return kilobytes * 1024
		}
	}
	panic("/proc has no VmRSS")
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
