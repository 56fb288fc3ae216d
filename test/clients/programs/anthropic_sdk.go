package main

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

func main() {
	ctx := context.Background()
	client := anthropic.NewClient(option.WithBaseURL(baseURL), option.WithAPIKey(key))
	asked := anthropic.MessageNewParams{Model: anthropic.Model(model), MaxTokens: 1000}
	if offersTool {
		schema := anthropic.ToolInputSchemaParam{Properties: city, Required: []string{"city"}}
		tool := anthropic.ToolParam{Name: toolName, Description: anthropic.String(toolDescription), InputSchema: schema}
		asked.Tools = []anthropic.ToolUnionParam{{OfTool: &tool}}
	}
	user := func(text string) anthropic.MessageParam {
		return anthropic.NewUserMessage(anthropic.NewTextBlock(text))
	}
	read := func(answer *anthropic.Message) (text string, made *call) {
		for _, block := range answer.Content {
			text += block.Text
			if block.Type == "tool_use" {
				made = &call{block.ID, block.Name, string(block.Input)}
			}
		}
		return text, made
	}
	report(session[anthropic.MessageParam]{
		user: user,
		result: func(made call, text string) anthropic.MessageParam {
			return anthropic.NewUserMessage(anthropic.NewToolResultBlock(made.id, text, false))
		},
		turn: func(message anthropic.MessageParam) (string, *call, error) {
			asked.Messages = append(asked.Messages, message)
			stream := client.Messages.NewStreaming(ctx, asked)
			answer := anthropic.Message{}
			for stream.Next() {
				if err := answer.Accumulate(stream.Current()); err != nil {
					return "", nil, err
				}
			}
			asked.Messages = append(asked.Messages, answer.ToParam())
			text, made := read(&answer)
			return text, made, stream.Err()
		},
		whole: func(text string) (string, error) {
			asked.Messages = []anthropic.MessageParam{user(text)}
			answer, err := client.Messages.New(ctx, asked)
			if err != nil {
				return "", err
			}
			said, _ := read(answer)
			return said, nil
		},
	})
}
