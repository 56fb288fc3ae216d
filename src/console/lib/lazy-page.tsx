import type { ReactNode } from 'react'

/** A file of a page. */
export interface PageModule {
  readonly Page: () => ReactNode
}

/**
 * A page whose file is loaded when it is first wanted. The router waits for `preload` before it shows the page;
 * a load that failed is tried again the next time.
 */
export function lazyPage(load: () => Promise<PageModule>) {
  let loaded: PageModule | undefined
  // biome-ignore lint/correctness/noComponentHookFactories: it is made once, for a route
  function Lazy() {
    if (loaded === undefined) throw new Error('The page was shown before it was loaded.')
    return <loaded.Page />
  }
  return Object.assign(Lazy, {
    async preload(): Promise<void> {
      loaded ??= await load()
    },
  })
}
