import json

from anthropic import Anthropic
from support import BASE_URL, KEY, MODEL, TOOL, report

client = Anthropic(base_url=BASE_URL, api_key=KEY)
messages = []
asked = {"model": MODEL, "max_tokens": 1000}
if TOOL:
    schema = TOOL["parameters"]
    tools = [{"name": TOOL["name"], "description": TOOL["description"], "input_schema": schema}]
    asked["tools"] = tools


def text_of(answer):
    return "".join(block.text for block in answer.content if block.type == "text")


class Session:
    def user(self, content):
        return {"role": "user", "content": content}

    def result(self, call, content):
        return self.user([{"type": "tool_result", "tool_use_id": call["id"], "content": content}])

    def turn(self, message):
        messages.append(message)
        with client.messages.stream(**asked, messages=messages) as stream:
            answer = stream.get_final_message()
        messages.append({"role": "assistant", "content": answer.content})
        for block in answer.content:
            if block.type == "tool_use":
                call = {"id": block.id, "name": block.name, "input": json.dumps(block.input)}
                return text_of(answer), call
        return text_of(answer), None

    def whole(self, content):
        return text_of(client.messages.create(**asked, messages=[self.user(content)]))


report(Session())
