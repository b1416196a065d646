package main

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
)

// The format that a schema gives a scalar of ours; another one is printed.
var formats = map[string]string{
	"int32": "int32", "int64": "int64", "uint32": "int64", "uint64": "int64", "float": "float", "double": "double", "bytes": "byte",
}

// The default that list items and map values have; structs have {}, types with a form of their own none.
var zeros = map[string]any{"string": "", "boolean": false, "int32": 0, "int64": 0, "uint32": 0, "uint64": 0, "float": 0, "double": 0}

var mapTypes = map[string]string{"atomic": "~", "granular": "g"}

// schemaFacts prints what the OpenAPI definition says of a field beyond Go; mapType is the flag for what
// is said of a map or of a struct in this place.
func (r *fieldReader) schemaFacts(name, word string, property spec.Schema) (out, mapType string) {
	place := fmt.Sprintf("%s.%s", r.owner, name)
	keys := ""
	for key, value := range property.Extensions {
		switch key {
		case "x-kubernetes-list-type":
			if value != "atomic" {
				out += " list=" + value.(string)
			} else {
				out += " list"
			}
		case "x-kubernetes-list-map-keys":
			for _, k := range value.([]any) {
				keys += "," + k.(string)
			}
		case "x-kubernetes-map-type":
			mapType = mapTypes[value.(string)]
			if mapType == "" {
				panic(place + ": unexpected map type")
			}
		case "x-kubernetes-patch-strategy", "x-kubernetes-patch-merge-key": // the tags say so too
		default:
			panic(place + ": unexpected " + key)
		}
	}
	if keys != "" {
		out = strings.Replace(out, " list=map", " list="+keys[1:], 1)
	}
	inner := innermost(place, word, property)
	if hasBounds(property) || hasBounds(inner) {
		panic(place + ": bounds that the tables do not have")
	}
	if len(inner.Enum) > 0 {
		out += " enum=" + enumOf(inner.Enum)
	}
	bare := strings.TrimLeft(word, "[{")
	if inner.Ref.String() == "" && inner.Format != formats[bare] {
		out += " format=" + inner.Format
	}
	if property.Default != nil {
		out += " =" + compact(property.Default)
	}
	return out, mapType
}

// hasBounds is true of a schema that says more of its values than their type, format and enum.
func hasBounds(s spec.Schema) bool {
	return s.Maximum != nil || s.Minimum != nil || s.MaxLength != nil || s.MinLength != nil || s.MaxItems != nil || s.MinItems != nil ||
		s.MaxProperties != nil || s.MinProperties != nil || s.MultipleOf != nil || s.Pattern != "" || s.UniqueItems || s.Nullable ||
		s.Not != nil || len(s.AnyOf)+len(s.OneOf) > 0
}

func enumOf(values []any) string {
	words := []string{}
	for _, value := range values {
		if strings.ContainsAny(value.(string), "^|") {
			panic("not a word for a list: " + value.(string))
		}
		words = append(words, strings.ReplaceAll(value.(string), " ", "^"))
	}
	return strings.Join(words, "|")
}

// innermost is the schema of what is inside lists and maps. What is said of the levels between must follow from the Go type.
func innermost(place, word string, s spec.Schema) spec.Schema {
	for word[0] == '[' || word[0] == '{' {
		outer := s
		if word[0] == '[' {
			s = *outer.Items.Schema
		} else {
			s = *outer.AdditionalProperties.Schema
		}
		word = word[1:]
		if len(s.Extensions) > 0 {
			panic(place + ": extensions inside a list or a map")
		}
		var want any
		if zero, ok := zeros[word]; ok {
			want = zero
		} else if strings.Contains(word, ":") {
			want = map[string]any{}
		}
		if !reflect.DeepEqual(normal(s.Default), normal(want)) {
			panic(fmt.Sprintf("%s: items default to %v", place, s.Default))
		}
	}
	return s
}

func normal(value any) string { return compact(value) }
