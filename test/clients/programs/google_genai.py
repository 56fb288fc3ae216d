import json

from google import genai
from google.genai import types
from support import BASE_URL, KEY, MODEL, TOOL, report

client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=BASE_URL))
config = {"tools": [{"function_declarations": [TOOL]}]} if TOOL else None
chat = client.chats.create(model=MODEL, config=config)


class Session:
    def user(self, text):
        return text

    def result(self, call, text):
        response = {"output": text}
        made = types.FunctionResponse(id=call["id"], name=call["name"], response=response)
        return types.Part(function_response=made)

    def turn(self, message):
        text, call = "", None
        for chunk in chat.send_message_stream(message):
            text += chunk.text or ""
            for made in chunk.function_calls or []:
                call = {"id": made.id, "name": made.name, "input": json.dumps(made.args)}
        return text, call

    def whole(self, text):
        return client.models.generate_content(model=MODEL, contents=text).text


report(Session())
