package main

import (
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// typeFacts says of a Go type what a type view needs; structs are named and described once.
type typeFacts struct {
	Kind   string     `json:"kind"`
	Scalar string     `json:"scalar,omitempty"`
	Raw    string     `json:"raw,omitempty"`
	Name   string     `json:"name,omitempty"`
	Of     *typeFacts `json:"of,omitempty"`
}

type fieldFacts struct {
	Name      string    `json:"name"`
	Number    int       `json:"number"`
	Pointer   bool      `json:"pointer"`
	OmitEmpty bool      `json:"omitEmpty"`
	OmitZero  bool      `json:"omitZero"`
	Inline    []int     `json:"inline"`
	Wrapped   bool      `json:"wrapped"`
	GoType    string    `json:"goType"`
	GoInline  []string  `json:"goInline"`
	Type      typeFacts `json:"type"`
}

type factBook map[string][]fieldFacts

var special = map[reflect.Type]typeFacts{
	reflect.TypeFor[metav1.Time]():          {Kind: "scalar", Scalar: "time"},
	reflect.TypeFor[metav1.MicroTime]():     {Kind: "scalar", Scalar: "micro-time"},
	reflect.TypeFor[metav1.Duration]():      {Kind: "scalar", Scalar: "duration"},
	reflect.TypeFor[resource.Quantity]():    {Kind: "scalar", Scalar: "quantity"},
	reflect.TypeFor[intstr.IntOrString]():   {Kind: "scalar", Scalar: "int-or-string"},
	reflect.TypeFor[runtime.RawExtension](): {Kind: "any", Raw: "raw-extension"},
	reflect.TypeFor[metav1.FieldsV1]():      {Kind: "any", Raw: "fields-v1"},
}

var scalars = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Int32: "int32", reflect.Int64: "int64",
	reflect.Uint32: "uint32", reflect.Uint64: "uint64", reflect.Float32: "float", reflect.Float64: "double",
}

func (b factBook) typeOf(t reflect.Type) typeFacts {
	if known, ok := special[t]; ok {
		return known
	}
	if name, ok := scalars[t.Kind()]; ok {
		return typeFacts{Kind: "scalar", Scalar: name}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.typeOf(t.Elem())
	case reflect.Map:
		of := b.typeOf(t.Elem())
		return typeFacts{Kind: "map", Of: &of}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return typeFacts{Kind: "scalar", Scalar: "bytes"}
		}
		of := b.typeOf(t.Elem())
		return typeFacts{Kind: "list", Of: &of}
	case reflect.Struct:
		name := t.PkgPath() + "." + t.Name()
		if _, ok := b[name]; !ok {
			b[name] = nil // recursive types end here
			b[name] = b.fieldsOf(t, []int{}, []string{})
		}
		return typeFacts{Kind: "struct", Name: name}
	}
	panic("no facts for " + t.String())
}

func (b factBook) fieldsOf(t reflect.Type, inline []int, embedded []string) []fieldFacts {
	out := []fieldFacts{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("json"), ",")
		number := 0
		if parts := strings.Split(f.Tag.Get("protobuf"), ","); len(parts) > 1 {
			number, _ = strconv.Atoi(parts[1])
		}
		if number == 0 {
			continue // TypeMeta: the envelope carries it
		}
		options := "," + strings.Join(tag[1:], ",") + ","
		if tag[0] == "" {
			out = append(out, b.fieldsOf(f.Type, append(append([]int{}, inline...), number), append(append([]string{}, embedded...), f.Name))...)
			continue
		}
		goType := f.Type
		if goType.Kind() == reflect.Pointer {
			goType = goType.Elem()
		}
		_, wrapped := reflect.New(f.Type).Interface().(interface{ Marshal() ([]byte, error) })
		out = append(out, fieldFacts{
			Name: tag[0], Number: number, Pointer: f.Type.Kind() == reflect.Pointer,
			OmitEmpty: strings.Contains(options, ",omitempty,"), OmitZero: strings.Contains(options, ",omitzero,"),
			Inline: inline, Wrapped: wrapped && f.Type.Kind() == reflect.Slice, Type: b.typeOf(f.Type),
			GoType: goType.String(), GoInline: embedded,
		})
	}
	return out
}

func facts(kind string) answer {
	book := factBook{}
	root := book.typeOf(reflect.TypeOf(newObject(kind)))
	return good(map[string]any{"root": root.Name, "structs": book})
}
