// Uses client-go as controllers do, with its default settings: discovery, the dynamic and the metadata client, informers (which stream their
// first list), pages, watches, patches, deletes. Prints a line for each step and ends with code 1 at the first surprise.
// usage: client KUBECONFIG NAMESPACE
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

type program struct {
	ctx       context.Context
	namespace string
	config    *rest.Config
	discovery discovery.DiscoveryInterface
	mapper    *restmapper.DeferredDiscoveryRESTMapper
	dynamic   dynamic.Interface
	metadata  metadata.Interface
	// COMPAT_EXACT: the server keeps the past of custom resources when their definition changes, converts only to what is asked for, and
	// refuses configurations that do not fit with a 422.
	isExact bool
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: client KUBECONFIG NAMESPACE")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check("read the kubeconfig", err)
	p := &program{ctx: ctx, namespace: os.Args[2], config: config, isExact: os.Getenv("COMPAT_EXACT") != ""}
	p.discovery, err = discovery.NewDiscoveryClientForConfig(config)
	check("make the discovery client", err)
	p.dynamic, err = dynamic.NewForConfig(config)
	check("make the dynamic client", err)
	p.metadata, err = metadata.NewForConfig(config)
	check("make the metadata client", err)
	p.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(p.discovery))
	for _, step := range []struct {
		name string
		run  func(*program) error
	}{
		{"discover groups, kinds and the version", discover},
		{"create a namespace and 25 objects", create},
		{"list in pages of 10", listInPages},
		{"get, update, and lose a race", update},
		{"patch in three ways", patch},
		{"watch from a revision", watchChanges},
		{"read metadata alone", readMetadata},
		{"inform with the dynamic client", inform},
		{"inform with the metadata client", informMetadata},
		{"use the typed client with JSON", useTyped},
		{"use the typed client with its default, protobuf", useDefaultTyped},
		{"take typed kinds through their lives with protobuf, informers and listers", useKinds},
		{"apply typed configurations of two managers", applyConfigurations},
		{"extract a configuration and apply it again", extractAndApply},
		{"apply to the status and the scale", applySubresources},
		{"apply with the dynamic client", applyDynamic},
		{"lead an election over a lease", elect},
		{"delete one, and a collection", deleteAll},
		{"define a kind with JSON", defineWithJSON},
		{"define a kind with protobuf", defineWithProtobuf},
		{"inform while versions of a kind change", informAcrossVersions},
		{"convert by a webhook", convertByWebhook},
		{"convert by a webhook that knows old reviews", convertByOldWebhook},
	} {
		check(step.name, step.run(p))
	}
}

func check(what string, err error) {
	if err != nil {
		fmt.Printf("FAIL %s: %v\n", what, err)
		os.Exit(1)
	}
	fmt.Printf("ok   %s\n", what)
}

func want(what string, got, wanted any) error {
	if got != wanted {
		return fmt.Errorf("%s is %v, not %v", what, got, wanted)
	}
	return nil
}
