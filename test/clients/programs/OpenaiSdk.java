import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.responses.EasyInputMessage;
import com.openai.models.responses.FunctionTool;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseStreamEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

final class OpenaiSdk {
  static final OpenAIClient client =
      OpenAIOkHttpClient.builder().baseUrl(Support.baseUrl + "/v1").apiKey(Support.key).build();
  static final Map<String, JsonValue> schema =
      Map.of("type", JsonValue.from("object"), "properties", JsonValue.from(Support.city));

  public static void main(String[] args) throws Exception {
    Support.report(Support.api.equals("chat") ? new Chat() : new Responses());
  }

  static final class Chat implements Support.Session {
    final ChatCompletionCreateParams.Builder asked =
        ChatCompletionCreateParams.builder().model(Support.model);

    Chat() {
      var parameters = FunctionParameters.builder().putAllAdditionalProperties(schema).build();
      var tool = FunctionDefinition.builder().name(Support.toolName).parameters(parameters);
      if (Support.offersTool) asked.addFunctionTool(tool.build());
    }

    public Support.Turn ask(String question) {
      asked.addUserMessage(question);
      return turn();
    }

    public Support.Turn tell(Support.Call call, String result) {
      var message = ChatCompletionToolMessageParam.builder().toolCallId(call.id()).content(result);
      asked.addMessage(message.build());
      return turn();
    }

    Support.Turn turn() {
      var answer = ChatCompletionAccumulator.create();
      try (var stream = client.chat().completions().createStreaming(asked.build())) {
        stream.stream().forEach(answer::accumulate);
      }
      var message = answer.chatCompletion().choices().get(0).message();
      asked.addMessage(message);
      for (var call : message.toolCalls().orElse(List.of())) {
        var made = call.asFunction();
        var function = made.function();
        var seen = new Support.Call(made.id(), function.name(), function.arguments());
        return new Support.Turn(message.content().orElse(""), seen);
      }
      return new Support.Turn(message.content().orElse(""), null);
    }

    public String whole(String question) {
      var answer = client.chat().completions().create(asked.addUserMessage(question).build());
      return answer.choices().get(0).message().content().orElse("");
    }
  }

  static final class Responses implements Support.Session {
    final ResponseCreateParams.Builder asked =
        ResponseCreateParams.builder().model(Support.model).store(false);
    final List<ResponseInputItem> history = new ArrayList<>();

    Responses() {
      var parameters = FunctionTool.Parameters.builder().putAllAdditionalProperties(schema).build();
      var tool = FunctionTool.builder().name(Support.toolName).parameters(parameters).strict(false);
      if (Support.offersTool) asked.addTool(tool.build());
    }

    public Support.Turn ask(String question) {
      var message = EasyInputMessage.builder().role(EasyInputMessage.Role.USER).content(question);
      history.add(ResponseInputItem.ofEasyInputMessage(message.build()));
      return turn();
    }

    public Support.Turn tell(Support.Call call, String result) {
      var output = ResponseInputItem.FunctionCallOutput.builder().callId(call.id()).output(result);
      history.add(ResponseInputItem.ofFunctionCallOutput(output.build()));
      return turn();
    }

    Support.Turn turn() {
      var answer = ResponseAccumulator.create();
      try (var stream =
          client.responses().createStreaming(asked.inputOfResponse(history).build())) {
        stream.stream().peek(Responses::check).forEach(answer::accumulate);
      }
      Support.Call call = null;
      for (var item : answer.response().output()) {
        item.message().ifPresent((it) -> history.add(ResponseInputItem.ofResponseOutputMessage(it)));
        if (!item.isFunctionCall()) continue;
        var made = item.asFunctionCall();
        history.add(ResponseInputItem.ofFunctionCall(made));
        call = new Support.Call(made.callId(), made.name(), made.arguments());
      }
      return new Support.Turn(textOf(answer.response()), call);
    }

    /** What goes wrong comes as events: the caller looks at them. */
    static void check(ResponseStreamEvent event) {
      event.error().ifPresent((it) -> fail(it.message()));
      event.failed().flatMap((it) -> it.response().error()).ifPresent((it) -> fail(it.message()));
    }

    static void fail(String message) {
      throw new IllegalStateException(message);
    }

    public String whole(String question) {
      return textOf(client.responses().create(asked.input(question).build()));
    }

    static String textOf(Response answer) {
      var text = new StringBuilder();
      for (var item : answer.output())
        if (item.isMessage())
          for (var part : item.asMessage().content()) text.append(part.asOutputText().text());
      return text.toString();
    }
  }
}
