// The oracle answers questions with the reference's own libraries: one JSON object a line in, one a line out.
// It holds no expectations; the comparing side is TypeScript beside this folder.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/version"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

type question struct {
	Op    string          `json:"op"`
	Text  string          `json:"text"`
	Rule  string          `json:"rule"`
	Kind  string          `json:"kind"`
	Doc   json.RawMessage `json:"doc"`
	Patch json.RawMessage `json:"patch"`
}

type answer struct {
	Ok    bool     `json:"ok"`
	Out   any      `json:"out,omitempty"`
	Error string   `json:"error,omitempty"`
	List  []string `json:"list,omitempty"`
}

func good(out any) answer  { return answer{Ok: true, Out: out} }
func bad(err error) answer { return answer{Error: err.Error()} }
func either(out any, err error) answer {
	if err != nil {
		return bad(err)
	}
	return good(out)
}

type binary interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// newObject knows some kinds by their bare name and all of the scheme as `group/version/Kind`.
func newObject(kind string) binary {
	switch kind {
	case "Pod":
		return &corev1.Pod{}
	case "ConfigMap":
		return &corev1.ConfigMap{}
	case "Secret":
		return &corev1.Secret{}
	case "Event":
		return &corev1.Event{}
	case "Service":
		return &corev1.Service{}
	case "Deployment":
		return &appsv1.Deployment{}
	case "Node":
		return &corev1.Node{}
	case "PersistentVolume":
		return &corev1.PersistentVolume{}
	case "ControllerRevision":
		return &appsv1.ControllerRevision{}
	}
	if strings.Contains(kind, "/") {
		return newKnown(kind)
	}
	panic("unknown kind " + kind)
}

var rules = map[string]func(string) []string{
	"dns1123-label":     validation.IsDNS1123Label,
	"dns1123-subdomain": validation.IsDNS1123Subdomain,
	"dns1035-label":     validation.IsDNS1035Label,
	"qualified-name":    validation.IsQualifiedName,
	"label-value":       validation.IsValidLabelValue,
	"c-identifier":      validation.IsCIdentifier,
	"env-var-name":      validation.IsEnvVarName,
	"config-map-key":    validation.IsConfigMapKey,
	"http-header-name":  validation.IsHTTPHeaderName,
	"port-name":         validation.IsValidPortName,
}

func reply(q question) (out answer) {
	defer func() {
		if r := recover(); r != nil {
			out = answer{Error: fmt.Sprintf("panic: %v", r)}
		}
	}()
	if out, ok := schemaReply(q); ok {
		return out
	}
	if out, ok := certificatesReply(q); ok {
		return out
	}
	if out, ok := managedFieldsReply(q); ok {
		return out
	}
	if q.Op == "cel" {
		return celReply(q)
	}
	switch q.Op {
	case "quantity":
		v, err := resource.ParseQuantity(q.Text)
		if err != nil {
			return bad(err)
		}
		return good(map[string]any{"text": v.String(), "value": fmt.Sprint(v.Value()), "milli": fmt.Sprint(v.MilliValue()), "sign": v.Sign()})
	case "quantity-compare":
		parts := strings.SplitN(q.Text, " ", 2)
		a, errA := resource.ParseQuantity(parts[0])
		b, errB := resource.ParseQuantity(parts[1])
		if errA != nil || errB != nil {
			return answer{Error: "unparsable"}
		}
		sum, diff := a.DeepCopy(), a.DeepCopy()
		sum.Add(b)
		diff.Sub(b)
		return good(map[string]any{"cmp": a.Cmp(b), "sum": sum.String(), "diff": diff.String()})
	case "label-selector":
		s, err := labels.Parse(q.Text)
		if err != nil {
			return bad(err)
		}
		return good(s.String())
	case "label-match":
		s, err := labels.Parse(q.Text)
		if err != nil {
			return bad(err)
		}
		var set labels.Set
		if err := json.Unmarshal(q.Doc, &set); err != nil {
			return bad(err)
		}
		return good(s.Matches(set))
	case "label-selector-object":
		var object metav1.LabelSelector
		if err := json.Unmarshal(q.Doc, &object); err != nil {
			return bad(err)
		}
		s, err := metav1.LabelSelectorAsSelector(&object)
		if err != nil {
			return bad(err)
		}
		return good(s.String())
	case "field-selector":
		s, err := fields.ParseSelector(q.Text)
		if err != nil {
			return bad(err)
		}
		return good(s.String())
	case "name":
		list := rules[q.Rule](q.Text)
		return answer{Ok: len(list) == 0, List: list}
	case "time":
		var t metav1.Time
		if err := json.Unmarshal(q.Doc, &t); err != nil {
			return bad(err)
		}
		b, err := json.Marshal(t)
		return either(json.RawMessage(b), err)
	case "micro-time":
		var t metav1.MicroTime
		if err := json.Unmarshal(q.Doc, &t); err != nil {
			return bad(err)
		}
		b, err := json.Marshal(t)
		return either(json.RawMessage(b), err)
	case "duration":
		var d metav1.Duration
		if err := json.Unmarshal(q.Doc, &d); err != nil {
			return bad(err)
		}
		return good(map[string]any{"text": d.Duration.String(), "nanos": fmt.Sprint(int64(d.Duration))})
	case "version-compare":
		parts := strings.SplitN(q.Text, " ", 2)
		return good(cmp.Compare(version.CompareKubeAwareVersionStrings(parts[0], parts[1]), 0))
	case "json":
		// Text is base64 of the bytes, so that malformed UTF-8 reaches the decoder.
		raw, err := base64.StdEncoding.DecodeString(q.Text)
		if err != nil {
			return bad(err)
		}
		var v any
		strict, err := kjson.UnmarshalStrict(raw, &v)
		if err != nil {
			return bad(err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			return bad(err)
		}
		list := []string{}
		for _, e := range strict {
			list = append(list, e.Error())
		}
		return answer{Ok: true, Out: json.RawMessage(b), List: list}
	case "yaml":
		j, err := yaml.YAMLToJSON([]byte(q.Text))
		if err != nil {
			// Of several keys that JSON cannot have a Go map shows any, some of them seldom.
			for range 100 {
				if !strings.Contains(err.Error(), "unsupported map key") {
					break
				}
				if _, again := yaml.YAMLToJSON([]byte(q.Text)); again == nil || again.Error() != err.Error() {
					return answer{Error: err.Error(), List: []string{"unstable"}}
				}
			}
			return bad(err)
		}
		_, strictErr := yaml.YAMLToJSONStrict([]byte(q.Text))
		list := []string{}
		if strictErr != nil {
			list = append(list, strictErr.Error())
		}
		// Keys of different types that become the same string are taken from a Go map in random order.
		for range 16 {
			if again, _ := yaml.YAMLToJSON([]byte(q.Text)); !bytes.Equal(again, j) {
				list = []string{"unstable"}
				break
			}
		}
		return answer{Ok: true, Out: json.RawMessage(j), List: list}
	case "json-patch":
		p, err := jsonpatch.DecodePatch(q.Patch)
		if err != nil {
			return bad(err)
		}
		b, err := p.Apply(q.Doc)
		return either(json.RawMessage(b), err)
	case "merge-patch":
		b, err := jsonpatch.MergePatch(q.Doc, q.Patch)
		return either(json.RawMessage(b), err)
	case "strategic":
		// The merge walks Go maps, whose order is random: an answer that changes with the order is marked.
		first := strategic(q)
		for range 16 {
			if again := strategic(q); fmt.Sprint(again.Ok, again.Out) != fmt.Sprint(first.Ok, first.Out) {
				first.List = []string{"unstable"}
				break
			}
		}
		return first
	case "facts":
		return facts(q.Kind)
	case "typed":
		if err := kjson.UnmarshalCaseSensitivePreserveInts(q.Doc, newObject(q.Kind)); err != nil {
			return bad(err)
		}
		return answer{Ok: true}
	case "round-trip":
		return roundTrip(q.Kind, q.Rule == "stored", q.Doc)
	case "protobuf":
		object := newObject(q.Kind)
		if err := kjson.UnmarshalCaseSensitivePreserveInts(q.Doc, object); err != nil {
			return bad(err)
		}
		b, err := object.Marshal()
		if err != nil {
			return bad(err)
		}
		// JSON of what the bytes say: empty lists and maps do not survive the binary form.
		back := newObject(q.Kind)
		if err := back.Unmarshal(b); err != nil {
			return bad(err)
		}
		j, err := json.Marshal(back)
		return either(map[string]any{"bytes": base64.StdEncoding.EncodeToString(b), "json": json.RawMessage(j)}, err)
	}
	return answer{Error: "unknown op " + q.Op}
}

func strategic(q question) answer {
	var doc, patch map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(q.Doc, &doc); err != nil {
		return bad(err)
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(q.Patch, &patch); err != nil {
		return bad(err)
	}
	// A copy has no room behind its lists, as what the server hands over: with room the merge writes into the original.
	doc, patch = runtime.DeepCopyJSON(doc), runtime.DeepCopyJSON(patch)
	merged, err := strategicpatch.StrategicMergeMapPatch(doc, patch, newObject(q.Kind))
	if err != nil {
		return bad(err)
	}
	b, err := json.Marshal(merged)
	return either(json.RawMessage(b), err)
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var q question
			var a answer
			if e := json.Unmarshal(line, &q); e != nil {
				a = bad(e)
			} else {
				a = reply(q)
			}
			b, e := json.Marshal(a)
			if e != nil {
				b, _ = json.Marshal(bad(e))
			}
			out.Write(b)
			out.WriteByte('\n')
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
		if err != nil {
			return
		}
	}
}
