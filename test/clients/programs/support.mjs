/** What all of the programs share: what they are asked to do, and how they tell how it went. */
const { BASE_URL, KEY, MODEL, API, MODE, QUESTIONS, RESULT } = process.env

export { API, BASE_URL, KEY, MODEL }

/** The tool that is offered, or undefined. */
export const tool =
  MODE === 'call'
    ? {
        name: 'weather',
        description: 'The weather of a city',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      }
    : undefined

/**
 * Plays a session: two turns that are streamed, the second of which may answer a call; or one that is
 * not streamed. `turn` sends a message and gives `{ text, call }`.
 */
export async function report({ user, result, turn, whole }) {
  const [first, second] = JSON.parse(QUESTIONS)
  try {
    if (MODE === 'whole') return tell({ turns: [await whole(first)] })
    const { text, call } = await turn(user(first))
    if (MODE === 'call' && !call) return tell({ turns: [text] })
    const next = call ? result(call, RESULT) : user(second)
    tell({ turns: [text, (await turn(next)).text], call: call && [call.name, call.input] })
  } catch (error) {
    tell({ error: { type: error?.constructor?.name, message: String(error?.message ?? error) } })
  }
}

const tell = (said) => console.log(JSON.stringify(said))
