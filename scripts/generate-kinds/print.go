package main

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// module is one generated file: the structs of one Go package.
type module struct {
	id, goPackage, modelPrefix string
	structs                    []*structFacts
}

var versionName = regexp.MustCompile(`^v\d+((alpha|beta)\d+)?$`)

// moduleOf names the file of a type: `core-v1`, `meta-v1`, `version`.
func moduleOf(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	last := parts[len(parts)-1]
	if versionName.MatchString(last) {
		return parts[len(parts)-2] + "-" + last
	}
	return last
}

func (b *book) modules() []*module {
	byID := map[string]*module{}
	for t, facts := range b.structs {
		id := moduleOf(t)
		goPackage, _, _ := strings.Cut(t.String(), ".")
		prefix := strings.TrimSuffix(modelName(t), t.Name())
		m, ok := byID[id]
		if !ok {
			m = &module{id: id, goPackage: goPackage, modelPrefix: prefix}
			byID[id] = m
		}
		if m.goPackage != goPackage || m.modelPrefix != prefix {
			panic(fmt.Sprintf("%s does not fit into %s", t, id))
		}
		m.structs = append(m.structs, facts)
	}
	out := []*module{}
	for _, m := range byID {
		slices.SortFunc(m.structs, func(a, b *structFacts) int { return cmp.Compare(a.name, b.name) })
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b *module) int { return cmp.Compare(a.id, b.id) })
	return out
}

// Packages whose types every API server answers with. They stand in apimachinery, so that a server without built-in kinds has them.
var sharedPackages = []string{"apidiscovery-v2", "apidiscovery-v2beta1", "meta-v1", "version"}

func (m *module) isShared() bool { return slices.Contains(sharedPackages, m.id) }

// factsFile is the file of a module's facts, relative to src.
func (m *module) factsFile() string {
	if m.isShared() {
		return "apimachinery/facts/generated/" + m.id + ".ts"
	}
	return "kinds/facts/" + m.id + ".ts"
}

func (m *module) print() string {
	var text strings.Builder
	reader := "../../apimachinery/facts/package-facts.ts"
	if m.isShared() {
		reader = "../package-facts.ts"
	}
	fmt.Fprintf(&text, "import type { PackageFacts } from '%s';\n\n", reader)
	fmt.Fprintf(&text, "export const %s: PackageFacts = {\n  id: '%s',\n  goPackage: '%s',\n  modelPrefix: '%s',\n  structs: `", camel(m.id), m.id, m.goPackage, m.modelPrefix)
	for _, s := range m.structs {
		fmt.Fprintf(&text, "\n%s", quoted(s.head))
		for _, field := range s.fields {
			fmt.Fprintf(&text, ";%s", quoted(withoutOwnModule(field, m.id)))
		}
	}
	text.WriteString("`,\n};\n")
	return text.String()
}

// withoutOwnModule shortens `[core-v1:Name` to `[Name` inside core-v1.
func withoutOwnModule(field, id string) string {
	return regexp.MustCompile(`^(\S+ [\[{]*)`+regexp.QuoteMeta(id)+`:`).ReplaceAllString(field, "$1")
}

func quoted(text string) string {
	if strings.ContainsAny(text, "`\n;") || strings.Contains(text, "${") {
		panic("cannot be in a template: " + text)
	}
	return strings.ReplaceAll(text, `\`, `\\`)
}

func camel(id string) string {
	parts := strings.Split(id, "-")
	for i, part := range parts[1:] {
		parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
	}
	return strings.Join(parts, "")
}

func printIndex(modules []*module, index []kindsOf) string {
	var text strings.Builder
	text.WriteString("import type { KindsOfPackage, PackageFacts } from '../../apimachinery/facts/package-facts.ts';\n")
	for _, m := range modules {
		from := "./" + m.id + ".ts"
		if m.isShared() {
			from = "../../" + m.factsFile()
		}
		fmt.Fprintf(&text, "import { %s } from '%s';\n", camel(m.id), from)
	}
	text.WriteString("\nexport const packages: readonly PackageFacts[] = [\n")
	for _, m := range modules {
		fmt.Fprintf(&text, "  %s,\n", camel(m.id))
	}
	text.WriteString("];\n\nexport const kinds: readonly KindsOfPackage[] = [\n")
	for _, k := range index {
		fmt.Fprintf(&text, "  ['%s', '%s', '%s', '%s'],\n", k.group, k.version, k.module, strings.Join(k.kinds, " "))
	}
	text.WriteString("];\n")
	return text.String()
}

func kubernetesVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == "k8s.io/kubernetes" {
			return strings.TrimPrefix(dependency.Version, "v")
		}
	}
	panic("built without k8s.io/kubernetes")
}
