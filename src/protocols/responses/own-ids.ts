// Ids of translated responses and of their items: all of them tell the request that they belong to.

/** The id of a translated response. */
export const ownResponseId = (requestId: string): string => `resp_${requestId}`

/** The id of one of its items; `prefix` is as the vendor begins ids of its kind. */
export const ownItemId = (prefix: string, requestId: string, place: number): string =>
  `${prefix}_${requestId}_${place}`

/**
 * The response that an id names, or that the item belongs to which it names: undefined for ids that were
 * surely not given out by a gateway like this one.
 */
export function ownResponseOf(id: string): string | undefined {
  const requestId = /^(?:resp_(req_[0-9a-f]{32})|[a-z]{2,3}_(req_[0-9a-f]{32})_\d{1,6})$/.exec(id)
  const found = requestId?.[1] ?? requestId?.[2]
  return found === undefined ? undefined : ownResponseId(found)
}
