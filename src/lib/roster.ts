/** What a roster can hold, in one roster at a time. */
export interface Listed {
  /** Its place in the roster; -1 outside. The roster alone writes it. */
  place: number
}

/**
 * Those who come and go all the time, in no order. In a `Set` each former table of JavaScriptCore's
 * keeps the next one: what was in any of them is kept until the next full collection.
 */
export class Roster<Member extends Listed> {
  readonly #members: Member[] = []

  get size(): number {
    return this.#members.length
  }

  add(member: Member): void {
    member.place = this.#members.length
    this.#members.push(member)
  }

  /** False: it was not in it. */
  delete(member: Member): boolean {
    const { place } = member
    if (this.#members[place] !== member) return false
    const last = this.#members.pop()
    if (last !== undefined && last !== member) {
      this.#members[place] = last
      last.place = place
    }
    member.place = -1
    return true
  }

  /** As a list that does not change. */
  all(): readonly Member[] {
    return this.#members.slice()
  }
}
