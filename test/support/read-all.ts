/** What came of an answer, however its connection ended. */
export async function readAll(response: Response) {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
    return { text, isBroken: false }
  } catch {
    return { text, isBroken: true } // the last event may have been there already
  }
}
