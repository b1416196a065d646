// An informer and a work queue of client-go with a reconcile that does nothing, in the bench: prints one line of JSON
// with the time from the first change to the last reconcile.
//
// usage: reconcile SERVER EVENTS
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func main() {
	total, err := strconv.ParseInt(os.Args[2], 10, 64)
	check(err)
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host:          os.Args[1],
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
	})
	check(err)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("bench"))
	informer := factory.Core().V1().ConfigMaps().Informer()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	var events, reconciles atomic.Int64
	var begin time.Time
	var cpu time.Duration
	enqueue := func(object any) {
		key, err := cache.MetaNamespaceKeyFunc(object)
		check(err)
		queue.Add(key)
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue,
		UpdateFunc: func(_, after any) {
			if events.Load() == 0 {
				begin = time.Now()
				cpu = processTime()
			}
			events.Add(1)
			enqueue(after)
		},
	})
	check(err)
	factory.Start(context.Background().Done())
	for {
		key, _ := queue.Get()
		if _, exists, err := informer.GetStore().GetByKey(key); err != nil || !exists {
			panic(key + " is not in the store")
		}
		reconciles.Add(1)
		queue.Forget(key)
		queue.Done(key)
		if events.Load() == total && queue.Len() == 0 {
			break
		}
	}
	line, err := json.Marshal(map[string]any{
		"milliseconds": float64(time.Since(begin).Microseconds()) / 1000,
		"cpu":          float64((processTime() - cpu).Microseconds()) / 1000,
		"events":       events.Load(),
		"reconciles":   reconciles.Load(),
	})
	check(err)
	fmt.Println(string(line))
}

// User and system time of all threads.
func processTime() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
