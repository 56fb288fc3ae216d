import { logoSvg } from '../../look/logo.ts'
import { pageSite } from '../lib/site.ts'

const mark = `data:image/svg+xml,${encodeURIComponent(
  logoSvg({ ground: pageSite.accent, mark: '#ffffff' }),
)}`

/** The operator's logo, or the program's mark in the site's accent. It says nothing beside the name. */
export const Logo = ({ sizePx }: { readonly sizePx: number }) => (
  <img className="logo" src={pageSite.logo ?? mark} alt="" height={sizePx} />
)
