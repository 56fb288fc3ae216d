from openai import OpenAI
from support import API, BASE_URL, KEY, MODEL, TOOL, report

client = OpenAI(base_url=f"{BASE_URL}/v1", api_key=KEY)
history = []


class Session:
    def user(self, text):
        return {"role": "user", "content": text}


class Chat(Session):
    tools = {"tools": [{"type": "function", "function": TOOL}]} if TOOL else {}

    def result(self, call, text):
        return {"role": "tool", "tool_call_id": call["id"], "content": text}

    def turn(self, message):
        history.append(message)
        asked = dict(model=MODEL, messages=history, **self.tools)
        with client.chat.completions.stream(**asked) as stream:
            answer = stream.get_final_completion().choices[0].message
        history.append(answer.to_dict(exclude_unset=True))
        for call in answer.tool_calls or []:
            made = call.function
            return answer.content, {"id": call.id, "name": made.name, "input": made.arguments}
        return answer.content, None

    def whole(self, text):
        answer = client.chat.completions.create(model=MODEL, messages=[self.user(text)])
        return answer.choices[0].message.content


class Responses(Session):
    tools = {"tools": [{"type": "function", "strict": False, **TOOL}]} if TOOL else {}

    def result(self, call, text):
        return {"type": "function_call_output", "call_id": call["id"], "output": text}

    def turn(self, item):
        history.append(item)
        asked = dict(model=MODEL, input=history, store=False, **self.tools)
        with client.responses.stream(**asked) as stream:
            answer = stream.get_final_response()
        history.extend(answer.output)
        for item in answer.output:
            if item.type == "function_call":
                call = {"id": item.call_id, "name": item.name, "input": item.arguments}
                return answer.output_text, call
        return answer.output_text, None

    def whole(self, text):
        return client.responses.create(model=MODEL, input=text, store=False).output_text


report(Chat() if API == "chat" else Responses())
