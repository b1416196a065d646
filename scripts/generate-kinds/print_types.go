package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// member is a field as the TypeScript types show it.
type member struct {
	name, word string
	required   bool
	enum       []string
}

// What a user writes and reads in JSON for a type that is not a struct. Names other than TypeScript's own are those of scalar-types.ts.
var typeScript = map[string]string{
	"string": "string", "boolean": "boolean", "int32": "number", "int64": "Int64", "uint32": "number", "uint64": "Int64", "float": "number",
	"double": "number", "bytes": "Base64", "time": "Time", "micro-time": "MicroTime", "duration": "Duration", "quantity": "Quantity",
	"int-or-string": "IntOrString", "raw-extension": "unknown", "fields-v1": "Record<string, unknown>", "json": "unknown",
	"json-text": "unknown", "schema-or-array": "JSONSchemaProps | JSONSchemaProps[]", "schema-or-bool": "JSONSchemaProps | boolean",
	"schema-or-string-array": "JSONSchemaProps | string[]",
}

// typesPath is the file of a package's types below the folder of types: `core/v1.ts`.
func typesPath(id string) string { return strings.Replace(id, "-", "/", 1) + ".ts" }

// printTypes writes an interface for each struct and, of a kind with paths of its own, a token with the interface's name.
func (m *module) printTypes(kinds map[string]kindFacts) string {
	var body strings.Builder
	uses := &typeUses{id: m.id, scalars: map[string]bool{}, modules: map[string]bool{}}
	for _, s := range m.structs {
		facts, isKind := kinds[m.id+":"+s.name]
		fmt.Fprintf(&body, "%s\n", uses.declaration(s, facts, isKind))
		if isKind && facts.resource != nil {
			scope := "Cluster"
			if facts.resource.namespaced {
				scope = "Namespaced"
			}
			uses.token = true
			fmt.Fprintf(&body, "export const %s: Kind<%s, '%s'> = { group: '%s', version: '%s', kind: '%s', plural: '%s', scope: '%s' };\n",
				s.name, s.name, scope, facts.group, facts.version, s.name, facts.resource.plural, scope)
		}
	}
	return "// biome-ignore-all format: a line is a type, so that a change of it is a change of one line\n" + uses.imports() + "\n" + body.String()
}

// typeUses remembers what a file has to import.
type typeUses struct {
	id      string
	scalars map[string]bool
	modules map[string]bool
	token   bool
}

func (u *typeUses) imports() string {
	up := strings.Repeat("../", strings.Count(typesPath(u.id), "/")+1)
	out := ""
	if u.token {
		out += fmt.Sprintf("import type { Kind } from '%skind.ts';\n", up)
	}
	if len(u.scalars) > 0 {
		out += fmt.Sprintf("import type { %s } from '%sscalar-types.ts';\n", strings.Join(sortedKeys(u.scalars), ", "), up)
	}
	for _, id := range sortedKeys(u.modules) {
		out += fmt.Sprintf("import type * as %s from '%s%s';\n", camel(id), strings.TrimPrefix(up, "../"), typesPath(id))
	}
	return out
}

func sortedKeys(set map[string]bool) []string {
	keys := []string{}
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (u *typeUses) declaration(s *structFacts, facts kindFacts, isKind bool) string {
	if len(s.members) == 0 {
		return fmt.Sprintf("export type %s = Record<string, never>;", s.name)
	}
	parts := []string{}
	for i, f := range s.members {
		word := u.typeOf(f.word, f.enum)
		if isKind && i < 2 && (f.name == "kind" || f.name == "apiVersion") {
			word = "'" + map[string]string{"kind": s.name, "apiVersion": facts.apiVersion()}[f.name] + "'"
		}
		mark := "?"
		if f.required {
			mark = ""
		}
		parts = append(parts, fmt.Sprintf("%s%s: %s", propertyName(f.name), mark, word))
	}
	return fmt.Sprintf("export interface %s { %s }", s.name, strings.Join(parts, "; "))
}

var plainName = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)

func propertyName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return "'" + name + "'"
}

func (u *typeUses) typeOf(word string, enum []string) string {
	switch word[0] {
	case '[':
		inner := u.typeOf(word[1:], enum)
		if strings.Contains(inner, " | ") {
			inner = "(" + inner + ")"
		}
		return inner + "[]"
	case '{':
		return "Record<string, " + u.typeOf(word[1:], enum) + ">"
	}
	if len(enum) > 0 {
		return "'" + strings.Join(enum, "' | '") + "'"
	}
	if name, ok := typeScript[word]; ok {
		if plainName.MatchString(name) && strings.ToUpper(name[:1]) == name[:1] {
			u.scalars[name] = true
		}
		return name
	}
	id, name, _ := strings.Cut(word, ":")
	if id == u.id {
		return name
	}
	u.modules[id] = true
	return camel(id) + "." + name
}
