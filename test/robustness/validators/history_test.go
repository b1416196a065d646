// The validators of etcd's robustness tests on a history of ours. HISTORY names a folder in their report format, with
// the requests that etcd carried out in persisted.json. It is a Go test because the validators report to testing.T.
package validators

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"go.etcd.io/etcd/tests/v3/robustness/model"
	"go.etcd.io/etcd/tests/v3/robustness/report"
	"go.etcd.io/etcd/tests/v3/robustness/validate"
)

// The longest time for the search of a linearization.
const limit = 5 * time.Minute

func TestHistory(t *testing.T) {
	path := os.Getenv("HISTORY")
	reports, err := report.LoadClientReports(path)
	if err != nil {
		t.Fatal(err)
	}
	persisted, err := loadRequests(filepath.Join(path, "persisted.json"))
	if err != nil {
		t.Fatal(err)
	}
	model.NonDeterministicModel.Step = withUnknownRevisions(model.NonDeterministicModel.Step)
	config := validate.Config{ExpectRevisionUnique: true}
	visualize := validate.ValidateAndReturnVisualize(t, zaptest.NewLogger(t), config, reports, persisted, limit)
	if t.Failed() {
		if err := visualize(filepath.Join(path, "history.html")); err != nil {
			t.Error(err)
		}
	}
}

func loadRequests(path string) ([]model.EtcdRequest, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	requests := []model.EtcdRequest{}
	for decoder := json.NewDecoder(file); ; {
		var request model.EtcdRequest
		if err := decoder.Decode(&request); errors.Is(err, io.EOF) {
			return requests, nil
		} else if err != nil {
			return nil, err
		}
		requests = append(requests, request)
	}
}

// Reads of one object and refused writes have no revision in the Kubernetes API. They do not change the state, so that
// the revision of a state is the only one that the answer can have there.
func withUnknownRevisions(step func(state, input, output any) (bool, any)) func(state, input, output any) (bool, any) {
	return func(state, input, output any) (bool, any) {
		response := output.(model.MaybeEtcdResponse)
		if response.Revision != 0 || response.Persisted || response.Error != "" {
			return step(state, input, output)
		}
		next := []json.RawMessage{}
		for _, each := range decode[[]json.RawMessage](state.(string)) {
			response.Revision = decode[model.EtcdState](string(each)).Revision
			if ok, after := step("["+string(each)+"]", input, response); ok {
				next = append(next, decode[[]json.RawMessage](after.(string))...)
			}
		}
		data, err := json.Marshal(next)
		if err != nil {
			panic(err)
		}
		return len(next) > 0, string(data)
	}
}

func decode[T any](text string) (value T) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(err)
	}
	return value
}
