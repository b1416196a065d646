package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const (
	writers = 4
	rounds  = 60
)

// seen is what an informer told, by object: the numbers in the order in which they came.
type seen struct {
	mutex   sync.Mutex
	numbers map[string][]int64
	deleted map[string]bool
}

func (s *seen) note(obj any) {
	one, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return
	}
	number, _, _ := unstructured.NestedInt64(one.Object, "spec", "n")
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.numbers[one.GetName()] = append(s.numbers[one.GetName()], number)
}

func (s *seen) drop(obj any) {
	if final, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = final.Obj
	}
	if one, ok := obj.(*unstructured.Unstructured); ok {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.deleted[one.GetName()] = true
	}
}

// informed starts an informer that ends with the context.
func (p *program) informed(ctx context.Context, plural, version string) (*seen, cache.SharedIndexInformer, error) {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(p.dynamic, 0, p.namespace, nil)
	informer := factory.ForResource(resourceOf(plural, version)).Informer()
	told := &seen{numbers: map[string][]int64{}, deleted: map[string]bool{}}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    told.note,
		UpdateFunc: func(_, obj any) { told.note(obj) },
		DeleteFunc: told.drop,
	}); err != nil {
		return nil, nil, err
	}
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return nil, nil, errors.New("the informer did not sync")
	}
	return told, informer, nil
}

// informAcrossVersions keeps writing while the definition gets another version and then stores that one. Nobody who writes may notice, and informers must end up with
// what was written, in order. A server that keeps the past across such changes (see main.go) must also tell of every single write.
func informAcrossVersions(p *program) error {
	const plural = "moving"
	clients, err := p.definitions("application/json")
	if err != nil {
		return err
	}
	definitions := clients.ApiextensionsV1().CustomResourceDefinitions()
	crd, err := definitions.Create(p.ctx, definition(plural, version("v1", true)), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err = p.served(resourceOf(plural, "v1")); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	told, informer, err := p.informed(ctx, plural, "v1")
	if err != nil {
		return err
	}
	failures := make(chan error, writers+1)
	for writer := range writers {
		go func() { failures <- p.write(plural, fmt.Sprintf("w-%d", writer)) }()
	}
	time.Sleep(300 * time.Millisecond)
	for _, versions := range [][]apiextensionsv1.CustomResourceDefinitionVersion{
		{version("v1", true), version("v2", false)},
		{version("v1", false), version("v2", true)},
		{version("v1", false), version("v2", true), version("v3", false)},
	} {
		if err = p.redefine(crd.Name, versions); err != nil {
			return err
		}
		time.Sleep(400 * time.Millisecond)
	}
	later, laterInformer, err := p.informed(ctx, plural, "v2")
	if err != nil {
		return err
	}
	for range writers {
		if err := <-failures; err != nil {
			return fmt.Errorf("a writer: %w", err)
		}
	}
	if err = p.checkSeen(told, informer, p.isExact); err != nil {
		return fmt.Errorf("v1: %w", err)
	}
	if err = p.checkSeen(later, laterInformer, false); err != nil {
		return fmt.Errorf("v2: %w", err)
	}
	if crd, err = definitions.Get(p.ctx, crd.Name, metav1.GetOptions{}); err != nil {
		return err
	}
	if err = want("the stored versions", fmt.Sprint(crd.Status.StoredVersions), "[v1 v2]"); err != nil {
		return err
	}
	cancel()
	return definitions.Delete(p.ctx, crd.Name, metav1.DeleteOptions{})
}

func (p *program) redefine(name string, versions []apiextensionsv1.CustomResourceDefinitionVersion) error {
	clients, err := p.definitions("application/json")
	if err != nil {
		return err
	}
	client := clients.ApiextensionsV1().CustomResourceDefinitions()
	for {
		crd, err := client.Get(p.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		crd.Spec.Versions = versions
		if _, err = client.Update(p.ctx, crd, metav1.UpdateOptions{}); err == nil || !apierrors.IsConflict(err) {
			return err
		}
	}
}

// write has no limit of requests by the second: it creates an object, changes it again and again, and deletes a second one that it made on the way.
func (p *program) write(plural, name string) error {
	config := rest.CopyConfig(p.config)
	config.QPS = -1
	unlimited, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	client := unlimited.Resource(resourceOf(plural, "v1")).Namespace(p.namespace)
	for _, one := range []string{name, name + "-gone"} {
		if _, err := client.Create(p.ctx, thing(plural, "v1", one, map[string]any{"n": int64(0)}), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for round := 1; round <= rounds; round++ {
		body := fmt.Appendf(nil, `{"spec":{"n":%d}}`, round)
		if _, err := client.Patch(p.ctx, name, types.MergePatchType, body, metav1.PatchOptions{}); err != nil {
			return err
		}
		if round == rounds/2 {
			if err := client.Delete(p.ctx, name+"-gone", metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

func (p *program) checkSeen(told *seen, informer cache.SharedIndexInformer, exact bool) error {
	isLast := func() bool {
		told.mutex.Lock()
		defer told.mutex.Unlock()
		for writer := range writers {
			numbers := told.numbers[fmt.Sprintf("w-%d", writer)]
			if len(numbers) == 0 || numbers[len(numbers)-1] != rounds {
				return false
			}
		}
		return true
	}
	for try := 0; !isLast(); try++ {
		if try == 200 {
			return fmt.Errorf("the last writes were not told: %v", told.numbers)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := want("the size of the store", len(informer.GetStore().ListKeys()), writers); err != nil {
		return err
	}
	told.mutex.Lock()
	defer told.mutex.Unlock()
	missed := 0
	for writer := range writers {
		name := fmt.Sprintf("w-%d", writer)
		numbers := told.numbers[name]
		for i := 1; i < len(numbers); i++ {
			if numbers[i] <= numbers[i-1] {
				return fmt.Errorf("%s went from %d to %d", name, numbers[i-1], numbers[i])
			}
		}
		missed += rounds + 1 - len(numbers)
		if exact && !told.deleted[name+"-gone"] {
			return fmt.Errorf("nothing told of the end of %s-gone", name)
		}
	}
	if exact && missed > 0 {
		return fmt.Errorf("%d of %d writes were not told", missed, writers*(rounds+1))
	}
	return nil
}
