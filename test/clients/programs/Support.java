import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What all of the programs share: what they are asked to do, and how they tell how it went. */
final class Support {
  static final String baseUrl = System.getenv("BASE_URL");
  static final String key = System.getenv("KEY");
  static final String model = System.getenv("MODEL");
  static final String api = System.getenv("API");
  static final boolean offersTool = "call".equals(System.getenv("MODE"));
  static final String toolName = "weather";
  static final String toolDescription = "The weather of a city";
  static final Map<String, Object> city = Map.of("city", Map.of("type", "string"));

  record Call(String id, String name, String input) {}

  record Turn(String text, Call call) {}

  /** A client's session: streamed turns, each after a question or a call's result, and one unstreamed. */
  interface Session {
    Turn ask(String question) throws Exception;

    Turn tell(Call call, String result) throws Exception;

    String whole(String question) throws Exception;
  }

  static void report(Session session) throws Exception {
    var json = new ObjectMapper();
    var said = new LinkedHashMap<String, Object>();
    try {
      var questions = json.readValue(System.getenv("QUESTIONS"), String[].class);
      play(session, questions, said);
    } catch (Throwable error) {
      var type = error.getClass().getSimpleName();
      said.put("error", Map.of("type", type, "message", String.valueOf(error.getMessage())));
    }
    System.out.println(json.writeValueAsString(said));
    System.exit(0);
  }

  private static void play(Session session, String[] questions, Map<String, Object> said)
      throws Exception {
    List<String> turns = new ArrayList<>();
    said.put("turns", turns);
    if ("whole".equals(System.getenv("MODE"))) {
      turns.add(session.whole(questions[0]));
      return;
    }
    var first = session.ask(questions[0]);
    turns.add(first.text());
    if (offersTool && first.call() == null) return;
    if (first.call() == null) {
      turns.add(session.ask(questions[1]).text());
      return;
    }
    said.put("call", List.of(first.call().name(), first.call().input()));
    turns.add(session.tell(first.call(), System.getenv("RESULT")).text());
  }
}
