// The program behind the restarts part: informers of client-go and a manager of controller-runtime that follow
// ConfigMaps while the server is killed and started again. It prints its caches as one line of JSON per line of input.
//
// usage: restarts KUBECONFIG NAMESPACE
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// revisions maps the names of objects to resourceVersions.
type revisions map[string]string

// reconciled has the revision that the last reconcile of each object read from the manager's cache; "" if it was gone.
type reconciled struct {
	sync.Mutex
	client client.Reader
	last   revisions
}

func (r *reconciled) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &corev1.ConfigMap{}
	err := r.client.Get(ctx, request.NamespacedName, object)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	r.Lock()
	defer r.Unlock()
	if err != nil {
		delete(r.last, request.Name)
	} else {
		r.last[request.Name] = object.ResourceVersion
	}
	return ctrl.Result{}, nil
}

// follower has the revisions that the handlers of an informer were told.
type follower struct {
	sync.Mutex
	told revisions
}

func (f *follower) set(object any) {
	f.Lock()
	defer f.Unlock()
	meta := object.(metav1.Object)
	f.told[meta.GetName()] = meta.GetResourceVersion()
}

func (f *follower) remove(object any) {
	f.Lock()
	defer f.Unlock()
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	delete(f.told, object.(metav1.Object).GetName())
}

func follow(informer cache.SharedIndexInformer) (*follower, error) {
	f := &follower{told: revisions{}}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    f.set,
		UpdateFunc: func(_, after any) { f.set(after) },
		DeleteFunc: f.remove,
	})
	return f, err
}

func run(ctx context.Context, config *rest.Config, namespace string) error {
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	typedFactory := informers.NewSharedInformerFactoryWithOptions(typed, 0, informers.WithNamespace(namespace))
	untypedFactory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(untyped, 0, namespace, nil)
	typedInformer := typedFactory.Core().V1().ConfigMaps().Informer()
	untypedInformer := untypedFactory.ForResource(corev1.SchemeGroupVersion.WithResource("configmaps")).Informer()
	typedTold, err := follow(typedInformer)
	if err != nil {
		return err
	}
	untypedTold, err := follow(untypedInformer)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics:                 server.Options{BindAddress: "0"},
		Cache:                   ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{namespace: {}}},
		LeaderElection:          true,
		LeaderElectionID:        "restarts",
		LeaderElectionNamespace: namespace,
	})
	if err != nil {
		return err
	}
	reconciles := &reconciled{client: manager.GetClient(), last: revisions{}}
	if err := ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Complete(reconciles); err != nil {
		return err
	}
	typedFactory.Start(ctx.Done())
	untypedFactory.Start(ctx.Done())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	input := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			input <- struct{}{}
		}
		close(input)
	}()
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("the manager ended: %w", err)
		case _, open := <-input:
			if !open {
				return nil
			}
			reconciles.Lock()
			typedTold.Lock()
			untypedTold.Lock()
			line, err := json.Marshal(map[string]any{
				"typed":       stored(typedInformer),
				"typedTold":   typedTold.told,
				"untyped":     stored(untypedInformer),
				"untypedTold": untypedTold.told,
				"reconciled":  reconciles.last,
			})
			untypedTold.Unlock()
			typedTold.Unlock()
			reconciles.Unlock()
			if err != nil {
				return err
			}
			fmt.Println(string(line))
		}
	}
}

func stored(informer cache.SharedIndexInformer) revisions {
	found := revisions{}
	for _, object := range informer.GetStore().List() {
		meta := object.(metav1.Object)
		found[meta.GetName()] = meta.GetResourceVersion()
	}
	return found
}

func main() {
	ctrl.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err == nil {
		err = run(context.Background(), config, os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
