package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

func readMetadata(p *program) error {
	client := p.metadata.Resource(configMaps).Namespace(p.namespace)
	list, err := client.List(p.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if err := want("the number of objects", len(list.Items), 25); err != nil {
		return err
	}
	one, err := client.Patch(p.ctx, "cm-04", types.MergePatchType, []byte(`{"metadata":{"labels":{"patched":"yes"}}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	return want("the label", one.Labels["patched"], "yes")
}

// changes makes three changes and expects the informer to tell of them in order, once it has told of the 25 objects that were there.
func changes(p *program, informer cache.SharedIndexInformer, name string) error {
	told := make(chan string, 256)
	tell := func(what string) func(any) {
		return func(obj any) {
			if accessor, ok := obj.(metav1.Object); ok {
				told <- what + " " + accessor.GetName()
			}
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    tell("added"),
		UpdateFunc: func(_, obj any) { tell("updated")(obj) },
		DeleteFunc: tell("deleted"),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	go informer.Run(ctx.Done())
	syncing, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if !cache.WaitForCacheSync(syncing.Done(), informer.HasSynced) {
		return errors.New("the informer did not sync")
	}
	if err := want("the size of the store", len(informer.GetStore().ListKeys()), 25); err != nil {
		return err
	}
	for range 25 {
		if what := <-told; !strings.HasPrefix(what, "added cm-") {
			return fmt.Errorf("the first list told of %q", what)
		}
	}
	if _, err = p.configMaps().Create(p.ctx, object("ConfigMap", name, nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err = p.configMaps().Patch(p.ctx, name, types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	if err = p.configMaps().Delete(p.ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	for _, wanted := range []string{"added", "updated", "deleted"} {
		select {
		case what := <-told:
			if err := want("the news", what, wanted+" "+name); err != nil {
				return err
			}
		case <-time.After(10 * time.Second):
			return fmt.Errorf("nothing told of %s %s", wanted, name)
		}
	}
	return nil
}

func inform(p *program) error {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(p.dynamic, 0, p.namespace, nil)
	return changes(p, factory.ForResource(configMaps).Informer(), "informed")
}

func informMetadata(p *program) error {
	factory := metadatainformer.NewFilteredSharedInformerFactory(p.metadata, 0, p.namespace, nil)
	return changes(p, factory.ForResource(configMaps).Informer(), "informed-metadata")
}
