import type { ProtocolName } from '../../../src/protocols/protocol.ts'

/** What became of the recorded requests of one protocol on channels of another. */
export interface Tally {
  equal: number
  /** Equal, but for what is named. */
  dropped: number
  /** How often each place was left out, in the client's own words. */
  readonly left: Record<string, number>
  /** How many were refused, by feature. */
  readonly refused: Record<string, number>
}

/** By client, then upstream: of 224, 190, 172 and 170 requests. */
export const tallies: {
  readonly [client in ProtocolName]: { readonly [upstream in ProtocolName]?: Tally }
} = {
  chat: {
    responses: {
      equal: 195,
      dropped: 23,
      left: {
        clear_thinking: 1,
        'messages[]': 1,
        'messages[].content[].cache_control': 20,
        models: 1,
        moderation: 1,
        provider: 4,
        reasoning_format: 4,
        search_settings: 1,
        'tools[]': 3,
        'tools[].cache_control': 4,
        transforms: 1,
      },
      refused: {
        hosted_tool: 6,
      },
    },
    messages: {
      equal: 194,
      dropped: 18,
      left: {
        clear_thinking: 1,
        'messages[]': 1,
        models: 1,
        moderation: 1,
        prompt_cache_key: 2,
        provider: 4,
        reasoning_format: 4,
        search_settings: 1,
        temperature: 3,
        'tools[]': 3,
        top_p: 1,
        transforms: 1,
      },
      refused: {
        audio: 6,
        hosted_tool: 3,
        json_mode: 4,
      },
    },
    gemini: {
      dropped: 80,
      equal: 141,
      left: {
        clear_thinking: 1,
        'messages[]': 1,
        'messages[].content[].cache_control': 20,
        models: 1,
        moderation: 1,
        prompt_cache_key: 2,
        provider: 4,
        reasoning_format: 4,
        search_settings: 1,
        service_tier: 3,
        'tools[]': 3,
        'tools[].cache_control': 4,
        'tools[].function.strict': 153,
        transforms: 1,
      },
      refused: {
        hosted_tool: 3,
      },
    },
  },
  responses: {
    chat: {
      dropped: 94,
      equal: 68,
      left: {
        context_management: 8,
        'include[]': 3,
        'input[]': 59,
        'input[].content[].prompt_cache_breakpoint': 2,
        moderation: 2,
        prompt_cache_options: 2,
        'reasoning.context': 27,
        'reasoning.summary': 11,
        'tools[]': 42,
        truncation: 1,
      },
      refused: {
        hosted_tool: 6,
        stored_state: 14,
        uploaded_file: 3,
        vendor_item: 5,
      },
    },
    messages: {
      equal: 86,
      dropped: 33,
      left: {
        context_management: 8,
        'include[]': 3,
        'input[]': 32,
        moderation: 2,
        prompt_cache_key: 2,
        prompt_cache_options: 2,
        'reasoning.context': 27,
        service_tier: 1,
        'text.verbosity': 1,
        'tools[]': 42,
        truncation: 1,
      },
      refused: {
        hosted_tool: 6,
        json_mode: 2,
        logprobs: 1,
        stored_state: 14,
      },
    },
    gemini: {
      dropped: 96,
      equal: 66,
      left: {
        context_management: 8,
        'include[]': 3,
        'input[]': 32,
        'input[].content[].prompt_cache_breakpoint': 2,
        'input[].tools[].strict': 17,
        moderation: 2,
        prompt_cache_key: 2,
        prompt_cache_options: 2,
        'reasoning.context': 27,
        service_tier: 1,
        'text.verbosity': 1,
        'tools[]': 42,
        'tools[].strict': 66,
        truncation: 1,
      },
      refused: {
        hosted_tool: 6,
        stored_state: 14,
        uploaded_file: 3,
        vendor_item: 5,
      },
    },
  },
  messages: {
    chat: {
      equal: 92,
      dropped: 15,
      left: {
        'messages[].content[].cache_control': 5,
        'messages[].content[]': 7,
        'thinking.display': 1,
        'output_config.task_budget': 2,
        'thinking.display': 1,
        'tools[]': 36,
        'tools[].defer_loading': 21,
      },
      refused: {
        vendor_item: 24,
        hosted_tool: 37,
        vendor_tool: 2,
        uploaded_file: 2,
        vendor_item: 24,
        vendor_tool: 2,
      },
    },
    responses: {
      equal: 99,
      dropped: 8,
      left: {
        'messages[].content[].cache_control': 5,
        'output_config.task_budget': 2,
        'tools[]': 36,
        'tools[].defer_loading': 21,
      },
      refused: {
        vendor_item: 24,
        hosted_tool: 37,
        vendor_tool: 2,
        uploaded_file: 2,
      },
    },
    gemini: {
      equal: 91,
      dropped: 16,
      left: {
        'tools[].strict': 9,
        'messages[].content[].cache_control': 5,
        'output_config.task_budget': 2,
        'tools[]': 36,
        'tools[].defer_loading': 21,
        'tools[].strict': 9,
      },
      refused: {
        vendor_item: 24,
        hosted_tool: 37,
        vendor_tool: 2,
        uploaded_file: 2,
        vendor_item: 24,
        vendor_tool: 2,
      },
    },
  },
  gemini: {
    chat: {
      dropped: 82,
      equal: 69,
      left: {
        'contents[].parts[]': 144,
        'generationConfig.thinkingConfig.includeThoughts': 3,
        'generationConfig.topK': 1,
        labels: 1,
        modelArmorConfig: 1,
        'toolConfig.includeServerSideToolInvocations': 6,
        'tools[].codeExecution': 3,
        'tools[].fileSearch': 2,
        'tools[].googleSearch': 9,
        'tools[].urlContext': 2,
      },
      refused: {
        uploaded_file: 14,
        video: 5,
      },
    },
    responses: {
      equal: 101,
      dropped: 34,
      left: {
        'contents[].parts[]': 48,
        'generationConfig.topK': 1,
        modelArmorConfig: 1,
        'toolConfig.includeServerSideToolInvocations': 6,
        'tools[].codeExecution': 3,
        'tools[].fileSearch': 2,
        'tools[].googleSearch': 9,
        'tools[].urlContext': 2,
      },
      refused: {
        hosted_tool: 14,
        vendor_item: 2,
        video: 5,
        uploaded_file: 14,
      },
    },
    messages: {
      equal: 118,
      dropped: 3,
      left: {
        'contents[].parts[]': 11,
        labels: 1,
        modelArmorConfig: 1,
        'toolConfig.includeServerSideToolInvocations': 6,
        'tools[].codeExecution': 3,
        'tools[].fileSearch': 2,
        'tools[].googleSearch': 9,
        'tools[].urlContext': 2,
      },
      refused: {
        hosted_tool: 14,
        vendor_item: 2,
        video: 5,
        logprobs: 2,
        uploaded_file: 14,
        video: 5,
      },
    },
  },
}
