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
        provider: 4,
        'messages[].content[].cache_control': 20,
        'tools[].cache_control': 4,
        clear_thinking: 1,
        'messages[]': 1,
        reasoning_format: 4,
        search_settings: 1,
        moderation: 1,
        models: 1,
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
        provider: 4,
        clear_thinking: 1,
        'messages[]': 1,
        reasoning_format: 4,
        search_settings: 1,
        prompt_cache_key: 2,
        moderation: 1,
        models: 1,
        transforms: 1,
        temperature: 3,
        top_p: 1,
      },
      refused: {
        audio: 6,
        hosted_tool: 6,
      },
    },
    gemini: {
      equal: 141,
      dropped: 77,
      left: {
        provider: 4,
        'messages[].content[].cache_control': 20,
        'tools[].function.strict': 153,
        'tools[].cache_control': 4,
        clear_thinking: 1,
        'messages[]': 1,
        reasoning_format: 4,
        search_settings: 1,
        prompt_cache_key: 2,
        moderation: 1,
        models: 1,
        transforms: 1,
        service_tier: 3,
      },
      refused: {
        hosted_tool: 6,
      },
    },
  },
  responses: {
    chat: {
      equal: 68,
      dropped: 52,
      left: {
        'reasoning.summary': 10,
        'input[]': 24,
        prompt_cache_options: 2,
        'input[].content[].prompt_cache_breakpoint': 2,
        context_management: 8,
        'reasoning.context': 13,
        moderation: 2,
        truncation: 1,
      },
      refused: {
        hosted_tool: 53,
        uploaded_file: 3,
        stored_state: 14,
      },
    },
    messages: {
      equal: 86,
      dropped: 33,
      left: {
        'input[]': 10,
        prompt_cache_options: 2,
        prompt_cache_key: 2,
        context_management: 8,
        'reasoning.context': 13,
        moderation: 2,
        truncation: 1,
        service_tier: 1,
        'text.verbosity': 1,
      },
      refused: {
        hosted_tool: 53,
        uploaded_file: 3,
        logprobs: 1,
        stored_state: 14,
      },
    },
    gemini: {
      equal: 66,
      dropped: 54,
      left: {
        'input[]': 10,
        prompt_cache_options: 2,
        'input[].content[].prompt_cache_breakpoint': 2,
        prompt_cache_key: 2,
        'tools[].strict': 39,
        context_management: 8,
        'reasoning.context': 13,
        moderation: 2,
        truncation: 1,
        service_tier: 1,
        'text.verbosity': 1,
        'input[].tools[].strict': 13,
      },
      refused: {
        hosted_tool: 53,
        uploaded_file: 3,
        stored_state: 14,
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
      },
      refused: {
        vendor_item: 24,
        hosted_tool: 37,
        vendor_tool: 2,
        uploaded_file: 2,
      },
    },
    responses: {
      equal: 99,
      dropped: 8,
      left: {
        'messages[].content[].cache_control': 5,
        'output_config.task_budget': 2,
        'messages[].content[]': 1,
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
      },
      refused: {
        vendor_item: 24,
        hosted_tool: 37,
        vendor_tool: 2,
        uploaded_file: 2,
      },
    },
  },
  gemini: {
    chat: {
      equal: 69,
      dropped: 66,
      left: {
        'contents[].parts[]': 135,
        modelArmorConfig: 1,
        'generationConfig.thinkingConfig.includeThoughts': 2,
        'generationConfig.topK': 1,
        labels: 1,
      },
      refused: {
        hosted_tool: 14,
        vendor_item: 2,
        video: 5,
        uploaded_file: 14,
      },
    },
    responses: {
      equal: 101,
      dropped: 34,
      left: {
        modelArmorConfig: 1,
        'contents[].parts[]': 42,
        'generationConfig.topK': 1,
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
        modelArmorConfig: 1,
        'contents[].parts[]': 5,
        labels: 1,
      },
      refused: {
        hosted_tool: 14,
        vendor_item: 2,
        video: 5,
        logprobs: 2,
        audio: 11,
        uploaded_file: 14,
        audio_url: 1,
      },
    },
  },
}
