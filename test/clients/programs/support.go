package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// What all of the programs share: what they are asked to do, and how they tell how it went.

var baseURL, key, model, api = os.Getenv("BASE_URL"), os.Getenv("KEY"), os.Getenv("MODEL"), os.Getenv("API")

// The tool that is offered in this mode.
const toolName, toolDescription = "weather", "The weather of a city"

var offersTool = os.Getenv("MODE") == "call"
var city = map[string]any{"city": map[string]any{"type": "string"}}

type call struct{ id, name, input string }

// A client's session: messages of its own kind, streamed turns, and one that is not streamed.
type session[Message any] struct {
	user   func(text string) Message
	result func(made call, text string) Message
	turn   func(message Message) (string, *call, error)
	whole  func(text string) (string, error)
}

func report[Message any](with session[Message]) {
	var questions []string
	_ = json.Unmarshal([]byte(os.Getenv("QUESTIONS")), &questions)
	said := map[string]any{}
	if err := play(with, questions, said); err != nil {
		said["error"] = map[string]any{"type": fmt.Sprintf("%T", err), "message": err.Error()}
	}
	line, _ := json.Marshal(said)
	fmt.Println(string(line))
}

func play[Message any](with session[Message], questions []string, said map[string]any) error {
	if os.Getenv("MODE") == "whole" {
		text, err := with.whole(questions[0])
		said["turns"] = []string{text}
		return err
	}
	text, made, err := with.turn(with.user(questions[0]))
	said["turns"] = []string{text}
	if err != nil || (offersTool && made == nil) {
		return err
	}
	next := with.user(questions[1])
	if made != nil {
		said["call"] = []string{made.name, made.input}
		next = with.result(*made, os.Getenv("RESULT"))
	}
	second, _, err := with.turn(next)
	said["turns"] = []string{text, second}
	return err
}
