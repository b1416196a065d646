package main

import (
	"bytes"
	"reflect"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
)

var knownTypes = newScheme()

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientscheme.AddToScheme, admissionv1.AddToScheme, admissionv1beta1.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	return scheme
}

func parseKind(kind string) schema.GroupVersionKind {
	parts := strings.Split(kind, "/")
	return schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]}
}

func newKnown(kind string) binary {
	object, err := knownTypes.New(parseKind(kind))
	utilruntime.Must(err)
	return object.(binary)
}

// roundTrip decodes into the Go type of `group/version/Kind` and encodes again; `stored` goes through the binary form in between. The
// answer is the text, because the order of fields counts.
func roundTrip(kind string, stored bool, doc []byte) answer {
	gvk := parseKind(kind)
	serializer := kubejson.NewSerializerWithOptions(kubejson.DefaultMetaFactory, knownTypes, knownTypes, kubejson.SerializerOptions{})
	object, _, err := serializer.Decode(doc, &gvk, nil)
	if err != nil {
		return bad(err)
	}
	if stored {
		if object, err = throughBinary(object); err != nil {
			return bad(err)
		}
	}
	var out bytes.Buffer
	if err := serializer.Encode(object, &out); err != nil {
		return bad(err)
	}
	return good(strings.TrimSuffix(out.String(), "\n"))
}

// throughBinary keeps the type fields, which the envelope carries.
func throughBinary(object runtime.Object) (runtime.Object, error) {
	data, err := object.(binary).Marshal()
	if err != nil {
		return nil, err
	}
	back := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
	if err := back.(binary).Unmarshal(data); err != nil {
		return nil, err
	}
	back.GetObjectKind().SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	return back, nil
}
