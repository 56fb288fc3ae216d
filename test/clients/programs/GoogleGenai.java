import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.genai.Chat;
import com.google.genai.Client;
import com.google.genai.types.Content;
import com.google.genai.types.FunctionDeclaration;
import com.google.genai.types.FunctionResponse;
import com.google.genai.types.GenerateContentConfig;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.Part;
import com.google.genai.types.Schema;
import com.google.genai.types.Tool;
import com.google.genai.types.Type;
import java.util.List;
import java.util.Map;

final class GoogleGenai implements Support.Session {
  final Client client =
      Client.builder()
          .apiKey(Support.key)
          .httpOptions(HttpOptions.builder().baseUrl(Support.baseUrl).build())
          .build();
  final Chat chat = client.chats.create(Support.model, config());

  public static void main(String[] args) throws Exception {
    Support.report(new GoogleGenai());
  }

  static GenerateContentConfig config() {
    var city = Schema.builder().type(Type.Known.STRING).build();
    var schema = Schema.builder().type(Type.Known.OBJECT).properties(Map.of("city", city)).build();
    var tool =
        FunctionDeclaration.builder()
            .name(Support.toolName)
            .description(Support.toolDescription)
            .parameters(schema)
            .build();
    var config = GenerateContentConfig.builder();
    if (Support.offersTool) config.tools(Tool.builder().functionDeclarations(tool).build());
    return config.build();
  }

  public Support.Turn ask(String question) throws Exception {
    return turn(Content.fromParts(Part.fromText(question)));
  }

  public Support.Turn tell(Support.Call call, String result) throws Exception {
    var answer = FunctionResponse.builder().name(call.name()).response(Map.of("output", result));
    if (call.id() != null) answer.id(call.id());
    return turn(
        Content.builder()
            .role("user")
            .parts(List.of(Part.builder().functionResponse(answer.build()).build()))
            .build());
  }

  Support.Turn turn(Content message) throws Exception {
    var text = new StringBuilder();
    Support.Call call = null;
    try (var stream = chat.sendMessageStream(message)) {
      for (var chunk : stream) {
        if (chunk.text() != null) text.append(chunk.text());
        for (var part : chunk.parts() == null ? List.<Part>of() : chunk.parts()) {
          var made = part.functionCall().orElse(null);
          if (made == null) continue;
          var input = new ObjectMapper().writeValueAsString(made.args().orElse(Map.of()));
          call = new Support.Call(made.id().orElse(null), made.name().orElse(""), input);
        }
      }
    }
    return new Support.Turn(text.toString(), call);
  }

  public String whole(String question) {
    return client.models.generateContent(Support.model, question, null).text();
  }
}
