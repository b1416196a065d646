// The judge of linearizability. It reads the operations of a history as a JSON array from standard input and checks
// them with porcupine, key by key. It prints the keys that have no linearization and exits with 1 if there are any.
//
// The state of a key is the unique value of its object and its resourceVersion; an empty value means that there is no
// object. An operation whose outcome is unknown has no effect if the state does not fit: placed at the end of the
// history, it stands for a request that was never carried out.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

type operation struct {
	Client  int    `json:"client"`
	Key     string `json:"key"`
	Kind    string `json:"kind"`
	Seen    string `json:"seen"`
	Value   string `json:"value"`
	Outcome string `json:"outcome"`
	RV      int64  `json:"rv"`
	Call    int64  `json:"call"`
	Return  int64  `json:"return"`
}

type state struct {
	value string
	// 0: written by an operation whose answer was lost.
	rv int64
}

// The longest time for one key.
const limit = 5 * time.Minute

func step(s state, op operation) (bool, state) {
	switch op.Kind {
	case "get":
		if op.Outcome == "missing" {
			return s.value == "", s
		}
		return s.value == op.Value && (s.rv == 0 || s.rv == op.RV), state{op.Value, op.RV}
	case "create":
		return write(s, op, s.value == "", s.value != "")
	case "update":
		return write(s, op, s.value == op.Seen, s.value != "" && s.value != op.Seen)
	default:
		ok, next := write(s, op, s.value == op.Seen, s.value != "" && s.value != op.Seen)
		if next != s {
			next = state{}
		}
		return ok, next
	}
}

// fits: the write takes place on this state. conflicts: it is refused with 409.
func write(s state, op operation, fits, conflicts bool) (bool, state) {
	switch op.Outcome {
	case "ok":
		return fits && (op.RV == 0 || op.RV > s.rv), state{op.Value, op.RV}
	case "conflict":
		return conflicts, s
	case "missing":
		return s.value == "", s
	}
	if fits {
		return true, state{op.Value, 0}
	}
	return true, s
}

func main() {
	var operations []operation
	if err := json.NewDecoder(os.Stdin).Decode(&operations); err != nil {
		fmt.Println("cannot read the history:", err)
		os.Exit(2)
	}
	keys := map[string][]porcupine.Operation{}
	for _, op := range operations {
		keys[op.Key] = append(keys[op.Key], porcupine.Operation{
			ClientId: op.Client, Input: op, Output: op, Call: op.Call, Return: op.Return,
		})
	}
	model := porcupine.Model{
		Init: func() interface{} { return state{} },
		Step: func(s, in, _ interface{}) (bool, interface{}) {
			ok, next := step(s.(state), in.(operation))
			return ok, next
		},
	}
	bad := 0
	for key, history := range keys {
		if result := porcupine.CheckOperationsTimeout(model, history, limit); result != porcupine.Ok {
			bad++
			fmt.Printf("%s: %d operations: %s\n", key, len(history), result)
		}
	}
	if bad > 0 {
		os.Exit(1)
	}
	fmt.Printf("linearizable: %d operations on %d keys\n", len(operations), len(keys))
}
