import './outside.css'
import { createRoot } from 'react-dom/client'
import { LanguageProvider } from '../lib/language.ts'
import { chosenScheme, showScheme } from '../lib/scheme.ts'
import { SetUp, SignUp } from './new-account.tsx'
import { Page as SignIn } from './sign-in.tsx'

/**
 * The pages that need no session. They are a page of their own, without the console's router and
 * component library, so that who comes to sign in waits for little.
 */
const pages: Readonly<Record<string, () => React.ReactNode>> = {
  '/console/sign-in': SignIn,
  '/console/sign-up': SignUp,
  '/console/setup': SetUp,
}

showScheme(chosenScheme())
const Page = pages[location.pathname.replace(/\/+$/, '')] ?? SignIn
const root = document.getElementById('root')

if (root) {
  createRoot(root).render(
    <LanguageProvider>
      <Page />
    </LanguageProvider>,
  )
}
