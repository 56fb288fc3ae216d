package main

import (
	"context"
	"encoding/json"
	"log"

	"google.golang.org/genai"
)

func main() {
	ctx := context.Background()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: key, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: baseURL}})
	if err != nil {
		log.Fatal(err)
	}
	config := &genai.GenerateContentConfig{}
	if offersTool {
		schema := &genai.Schema{Type: genai.TypeObject, Required: []string{"city"},
			Properties: map[string]*genai.Schema{"city": {Type: genai.TypeString}}}
		config.Tools = []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{
			{Name: toolName, Description: toolDescription, Parameters: schema}}}}
	}
	chat, err := client.Chats.Create(ctx, model, config, nil)
	if err != nil {
		log.Fatal(err)
	}
	report(session[genai.Part]{
		user: func(text string) genai.Part { return genai.Part{Text: text} },
		result: func(made call, text string) genai.Part {
			return genai.Part{FunctionResponse: &genai.FunctionResponse{
				ID: made.id, Name: made.name, Response: map[string]any{"output": text}}}
		},
		turn: func(part genai.Part) (text string, made *call, err error) {
			for chunk, err := range chat.SendMessageStream(ctx, part) {
				if err != nil {
					return text, made, err
				}
				text += chunk.Text()
				for _, asked := range chunk.FunctionCalls() {
					input, _ := json.Marshal(asked.Args)
					made = &call{asked.ID, asked.Name, string(input)}
				}
			}
			return text, made, nil
		},
		whole: func(text string) (string, error) {
			answer, err := client.Models.GenerateContent(ctx, model, genai.Text(text), config)
			if err != nil {
				return "", err
			}
			return answer.Text(), nil
		},
	})
}
