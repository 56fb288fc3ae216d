package main

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

var ctx = context.Background()
var client = openai.NewClient(option.WithBaseURL(baseURL+"/v1"), option.WithAPIKey(key))
var schema = map[string]any{"type": "object", "properties": city, "required": []string{"city"}}

func main() {
	if api == "chat" {
		reportChat()
	} else {
		reportResponses()
	}
}

func reportChat() {
	asked := openai.ChatCompletionNewParams{Model: model}
	if offersTool {
		asked.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(
			shared.FunctionDefinitionParam{Name: toolName, Description: openai.String(toolDescription), Parameters: schema})}
	}
	report(session[openai.ChatCompletionMessageParamUnion]{
		user: func(text string) openai.ChatCompletionMessageParamUnion { return openai.UserMessage(text) },
		result: func(made call, text string) openai.ChatCompletionMessageParamUnion {
			return openai.ToolMessage(text, made.id)
		},
		turn: func(message openai.ChatCompletionMessageParamUnion) (string, *call, error) {
			asked.Messages = append(asked.Messages, message)
			stream := client.Chat.Completions.NewStreaming(ctx, asked)
			answer := openai.ChatCompletionAccumulator{}
			for stream.Next() {
				answer.AddChunk(stream.Current())
			}
			if stream.Err() != nil || len(answer.Choices) == 0 {
				return "", nil, stream.Err()
			}
			said := answer.Choices[0].Message
			asked.Messages = append(asked.Messages, said.ToParam())
			for _, made := range said.ToolCalls {
				return said.Content, &call{made.ID, made.Function.Name, made.Function.Arguments}, nil
			}
			return said.Content, nil, nil
		},
		whole: func(text string) (string, error) {
			asked.Messages = append(asked.Messages, openai.UserMessage(text))
			answer, err := client.Chat.Completions.New(ctx, asked)
			if err != nil {
				return "", err
			}
			return answer.Choices[0].Message.Content, nil
		},
	})
}

func reportResponses() {
	var history responses.ResponseInputParam
	asked := responses.ResponseNewParams{Model: model, Store: param.NewOpt(false)}
	if offersTool {
		asked.Tools = []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{
			Name: toolName, Description: openai.String(toolDescription), Parameters: schema, Strict: param.NewOpt(false)}}}
	}
	report(session[responses.ResponseInputItemUnionParam]{
		user: func(text string) responses.ResponseInputItemUnionParam {
			return responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser)
		},
		result: func(made call, text string) responses.ResponseInputItemUnionParam {
			item := responses.ResponseInputItemParamOfFunctionCallOutput(text)
			item.OfFunctionCallOutput.CallID = param.NewOpt(made.id)
			return item
		},
		turn: func(item responses.ResponseInputItemUnionParam) (string, *call, error) {
			history = append(history, item)
			asked.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: history}
			stream := client.Responses.NewStreaming(ctx, asked)
			var answer responses.Response
			for stream.Next() {
				// What goes wrong comes as events: the caller looks at them.
				switch event := stream.Current(); event.Type {
				case "response.completed":
					answer = event.Response
				case "response.failed":
					return "", nil, errors.New(event.Response.Error.Message)
				case "error":
					return "", nil, errors.New(event.Message)
				}
			}
			var made *call
			for _, item := range answer.Output {
				switch item.Type {
				case "function_call":
					made = &call{item.CallID, item.Name, item.Arguments.OfString}
					history = append(history, responses.ResponseInputItemParamOfFunctionCall(made.input, made.id, made.name))
				case "message":
					said := item.AsMessage().ToParam()
					history = append(history, responses.ResponseInputItemUnionParam{OfOutputMessage: &said})
				}
			}
			return answer.OutputText(), made, stream.Err()
		},
		whole: func(text string) (string, error) {
			asked.Input = responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}
			answer, err := client.Responses.New(ctx, asked)
			if err != nil {
				return "", err
			}
			return answer.OutputText(), nil
		},
	})
}
