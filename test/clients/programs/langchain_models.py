import json

from langchain_core.messages import HumanMessage, ToolMessage
from support import API, BASE_URL, KEY, MODEL, TOOL, report

if API == "messages":
    from langchain_anthropic import ChatAnthropic
    model = ChatAnthropic(model=MODEL, api_key=KEY, base_url=BASE_URL)
elif API == "gemini":
    from langchain_google_genai import ChatGoogleGenerativeAI
    model = ChatGoogleGenerativeAI(model=MODEL, google_api_key=KEY, base_url=BASE_URL)
else:
    from langchain_openai import ChatOpenAI
    more = {"use_responses_api": True, "store": False} if API == "responses" else {}
    model = ChatOpenAI(model=MODEL, api_key=KEY, base_url=f"{BASE_URL}/v1", **more)
bound = model.bind_tools([{"type": "function", "function": TOOL}]) if TOOL else model
messages = []


def text_of(message):
    return message.text() if callable(message.text) else message.text


class Session:
    def user(self, text):
        return HumanMessage(text)

    def result(self, call, text):
        return ToolMessage(text, tool_call_id=call["id"], name=call["name"])

    def turn(self, message):
        messages.append(message)
        answer = None
        for chunk in bound.stream(messages):
            answer = chunk if answer is None else answer + chunk
        messages.append(answer)
        calls = [{**call, "input": json.dumps(call["args"])} for call in answer.tool_calls]
        return str(text_of(answer)), calls[0] if calls else None

    def whole(self, text):
        return str(text_of(model.invoke(text)))


report(Session())
