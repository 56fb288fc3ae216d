"""What all of the programs share: what they are asked to do, and how they tell how it went."""
import json
import os

BASE_URL, KEY, MODEL, API, MODE = (os.environ[n] for n in ("BASE_URL", "KEY", "MODEL", "API", "MODE"))
TOOL = {
    "name": "weather",
    "description": "The weather of a city",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
} if MODE == "call" else None


def report(session):
    """Plays a session: `session` has user(text), result(call, text), turn(message), whole(text)."""
    first, second = json.loads(os.environ["QUESTIONS"])
    said = {}
    try:
        if MODE == "whole":
            said = {"turns": [session.whole(first)]}
        else:
            text, call = session.turn(session.user(first))
            said = {"turns": [text]}
            if call or MODE != "call":
                result = os.environ["RESULT"]
                message = session.result(call, result) if call else session.user(second)
                said["turns"].append(session.turn(message)[0])
            if call:
                said["call"] = [call["name"], call["input"]]
    except Exception as error:
        said = {"error": {"type": type(error).__name__, "message": str(error)}}
    print(json.dumps(said), flush=True)
