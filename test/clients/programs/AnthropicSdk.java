import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolResultBlockParam;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

final class AnthropicSdk implements Support.Session {
  final AnthropicClient client =
      AnthropicOkHttpClient.builder().baseUrl(Support.baseUrl).apiKey(Support.key).build();
  final MessageCreateParams.Builder asked =
      MessageCreateParams.builder().model(Support.model).maxTokens(1000);

  public static void main(String[] args) throws Exception {
    Support.report(new AnthropicSdk());
  }

  AnthropicSdk() {
    var schema = Tool.InputSchema.builder().properties(JsonValue.from(Support.city)).build();
    var tool = Tool.builder().name(Support.toolName).inputSchema(schema).build();
    if (Support.offersTool) asked.addTool(tool);
  }

  public Support.Turn ask(String question) {
    asked.addUserMessage(question);
    return turn();
  }

  public Support.Turn tell(Support.Call call, String result) {
    var block = ToolResultBlockParam.builder().toolUseId(call.id()).content(result).build();
    asked.addUserMessageOfContentBlockParams(List.of(ContentBlockParam.ofToolResult(block)));
    return turn();
  }

  Support.Turn turn() {
    var answer = MessageAccumulator.create();
    try (var stream = client.messages().createStreaming(asked.build())) {
      stream.stream().forEach(answer::accumulate);
    }
    asked.addMessage(answer.message());
    for (var block : answer.message().content()) {
      if (!block.isToolUse()) continue;
      var made = block.asToolUse();
      var input = made._input().convert(JsonNode.class).toString();
      var call = new Support.Call(made.id(), made.name(), input);
      return new Support.Turn(textOf(answer.message()), call);
    }
    return new Support.Turn(textOf(answer.message()), null);
  }

  public String whole(String question) {
    return textOf(client.messages().create(asked.addUserMessage(question).build()));
  }

  static String textOf(Message message) {
    var text = new StringBuilder();
    for (var block : message.content()) block.text().ifPresent((it) -> text.append(it.text()));
    return text.toString();
  }
}
