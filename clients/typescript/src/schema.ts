// Made by scripts/models.ts from the OpenAPI document of the service. Do not edit. Contract 01c937c2db21089a, types 66dec2d228159d77.
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive. */
        get: operations["check_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/claude": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer a hook of the user and session in the headers. It is for hosts with one address for every user in their settings. */
        post: operations["answer_claude_hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path?: never;
            cookie?: never;
        };
        /** Whether requests are welcome: the store can be reached and honours conditional writes, and the service is not stopping. */
        get: operations["check_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deletions/{user}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        /** Show how far the deletion of a user is, or what the last one removed. Needs a key of scope `control` for all users. */
        get: operations["show_deletion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path?: never;
            cookie?: never;
        };
        /** List the users who have objects in the store. Needs a key of scope `control` for all users. */
        get: operations["list_users"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a user with everything that it has, earlier versions included. Needs a key of scope `control` for all users. The
         *     reply comes before the sweeps, the second of which begins a minute later; `show_deletion` says how far they are. Calls for
         *     the user are `denied` until then.
         */
        delete: operations["delete_user"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/audit": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        /**
         * List the operations on a user's data, each with caller, session, paths and outcome. With `layer` they are the changes of the
         *     skills of the key's team or of the organisation. Needs a key of scope `control`.
         */
        get: operations["list_audit_records"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/catalog": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        /**
         * Return how many skills a user has. Skills that the user's policy hides from the caller do not count. A key of scope `control`
         *     gets the state of the objects in the store too.
         */
        get: operations["show_catalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/catalog/rebuild": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Throw away what the store keeps of a user's catalog, and read every skill again. Needs a key of scope `control`. */
        post: operations["rebuild_catalog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/catalog/refresh": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a user's skills again, however fresh they are; skills that the user's policy hides from the caller are
         *     not counted.
         */
        post: operations["refresh_catalog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/diff/{skill}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        /**
         * Compare two versions of a skill: the lines that differ, and which files do. Without `from` and `to` they are the published
         *     version and the one before it.
         */
        get: operations["diff_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/events": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        /** Watch what happens in all sessions of a user, as in one of them. Needs a key of scope `control`. */
        get: operations["watch_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/export": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        /**
         * Everything of a user as one tar archive: skills, files, sessions, versions, policy, records. Needs a key of scope `control`.
         *     Entries are named as the keys of the store. The last one, `_manifest.json`, counts them and names what is left out; an
         *     archive without it is not whole.
         */
        get: operations["export_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/lint": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        /**
         * Judge a user's own skills as they lie in the store: their SKILL.md and the names of their files. Skills that the user's
         *     policy hides are omitted.
         */
        get: operations["lint_skills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        /**
         * Show the user's policy; the stricter of it and a session's own holds. Only a key of scope `control` is shown rules that
         *     name skills.
         */
        get: operations["show_user_policy"];
        /** Replace the user's policy. Needs a key of scope `control`. */
        put: operations["set_user_policy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/rollback/{skill}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Go back to an earlier version of a skill, also of a deleted one. Needs a key of scope `control`. */
        post: operations["roll_back_skill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/session_gc": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forget a user's sessions that were idle for 30 days; their files stay. Records that are older than the service keeps them go
         *     too. Needs a key of scope `control`.
         */
        post: operations["collect_sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        /**
         * List the sessions of a user that the key reaches, in byte order of their ids. A page may hold none and still name a
         *     next one.
         */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        /** Show a session; one that does not exist is shown as it would begin. */
        get: operations["show_session"];
        /** Make a session; one that exists is returned as it is, with the names of the members of the request that differ from it. */
        put: operations["create_session"];
        post?: never;
        /**
         * Forget a session; its workspace stays, unless the request says otherwise and no other session shares it. Needs a key of
         *     scope `control`.
         */
        delete: operations["forget_session"];
        options?: never;
        head?: never;
        /** Change policy, variables or the current skill of a session. */
        patch: operations["change_session"];
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/approvals": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        /** List the calls of a session that wait for approval, the oldest first. Needs a key of scope `control`. */
        get: operations["list_approvals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/approvals/{approval_id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
                /**
                 * @description The id of a call that waits, as the refusal of the call and the list have it.
                 * @example 5f0c2b7d9e3a41c6b8d7e0f1a2b3c4d5
                 */
                approval_id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide about a call that waits for approval. Allowed, it runs once, when it is made again within five minutes; with
         *     `remember`, so does every call of its tool, or every load of its skill, in this session. Needs a key of scope `control`.
         */
        post: operations["decide_approval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/create_skill": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Write a skill as a draft: this session sees it, and others once a person has published it. */
        post: operations["create_skill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete a file, or a folder and everything below it. */
        post: operations["delete_path"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/discover_skills": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find skills for a task; finding one does not load it. */
        post: operations["discover_skills"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/download": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Download files, in the order of the request. `multipart/mixed` has a part for each path, with `content-location`; those
         *     that failed have `x-error`, the code, and the reason as their text. With `accept: application/json` the files are in
         *     one JSON document, as base64.
         */
        post: operations["download_files"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/edit": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace text in a file. */
        post: operations["edit_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/events": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        /**
         * Watch what happens in a session: tool calls, skills, files, permission requests, and changes of the catalog. The answer is a
         *     stream of each event as it happens. A client that accepts `application/json` and no stream gets those since `Last-Event-ID`.
         *     An event may come twice with the same id. The service omits none without a word: `gap` says that it no longer keeps the events
         *     since an id, and `dropped` that the client was too slow and must connect again.
         */
        get: operations["watch_session"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/files/{path}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
                /**
                 * @description The virtual path without its first slash. Further slashes may be written as they are or as `%2F`.
                 * @example workspace/draft.md
                 */
                path: string;
            };
            cookie?: never;
        };
        /** Read a file's bytes. Takes `range`, `if-range`, `if-match` and `if-none-match`. */
        get: operations["get_file"];
        /**
         * Write a file's bytes. `if-none-match: *` only makes a new one, `if-match` only replaces that version; without either
         *     the last writer wins.
         */
        put: operations["put_file"];
        post?: never;
        /**
         * Delete a file, or a folder and everything below it. Where some files of a folder could not be deleted, this is the problem
         *     of the first of them, with `outcome` for the whole, `deleted` and `failed`; the same call, made again, deletes the rest.
         */
        delete: operations["delete_file"];
        options?: never;
        /** What `GET` would say of a file, without its bytes. */
        head: operations["head_file"];
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/glob": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find files by name. */
        post: operations["find_files"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/grep": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Search the contents of everything the session sees. */
        post: operations["search_files"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/hooks": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a hook: the listing of skills when a conversation begins, the skills that a message or a command calls for, and those
         *     for a sub-agent. The reply is `{}` if there is nothing to say. It never decides about a call.
         */
        post: operations["answer_hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/load_skill": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Load a skill: mount its files below `/skills` and make it the current one. */
        post: operations["load_skill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/ls": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List a folder. */
        post: operations["list_folder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/messages": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run the slash command that a message may be: `/skill arguments` loads that skill. Any other text comes back unchanged. */
        post: operations["send_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/move": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move or rename a file, or a folder and everything below it; nothing at the new path is replaced. */
        post: operations["move_path"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/prompt": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        /** Render the prompt. With `accept: text/plain` the reply is the bare prompt. The ETag stays while the prompt does. */
        get: operations["render_prompt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read lines of a text file. */
        post: operations["read_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/tool_calls": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the tool calls of one turn. The reply holds a result for each in their order, in the shape of the calls: the user
         *     message that answers `tool_use` blocks, or the `tool` messages that answer `tool_calls`. A call that fails is a result
         *     that begins with `Error: `, not a problem.
         */
        post: operations["run_tool_calls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/tools": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        /** List the tools the session may use now. They may be others after each turn; the ETag stays while they do. */
        get: operations["list_tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/unload_skill": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hide a loaded skill again. */
        post: operations["unload_skill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/upload": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Upload files: a part for each, its name the virtual path. Files that exist are replaced. */
        post: operations["upload_files"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/sessions/{session}/write": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a file, or replace it with `overwrite`. */
        post: operations["write_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/skill_files/{skill}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        /**
         * Read the bytes of one file of a skill, without loading it; of a draft too, for who sees it in the list. Takes `range`, `if-range`, `if-match` and `if-none-match`. What the
         *     user's policy hides is not there, and a skill whose each use is approved is read in a session.
         */
        get: operations["get_skill_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/skills": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        /**
         * List a user's skills, except skills that the user's policy hides; a key of scope `control` sees them all. Drafts are shown to keys
         *     of scope `control`, and to keys that are bound to the session that made them.
         */
        get: operations["list_skills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/skills/download": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Download files of several skills without loading them, in the order of the request and up to 1,000 in all.
         *     `multipart/mixed` has a part for each file, with its place below `skills/` as `content-location`. The part of a failed file has
         *     the code as `x-error` and the reason as text. A skill that failed as a whole has one such part, with its path. With
         *     `accept: application/json` the files are in one JSON document, as base64. With `accept: application/zip` they are an archive, and
         *     the first of them that fails is the answer.
         */
        post: operations["download_skills"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/skills/{skill}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        /**
         * Show one skill: its instructions, their outline, and its files. With `accept: application/zip` the answer is its folder as
         *     an archive. A draft is shown to who sees it in the list. By its digest a version is shown though the skill is deleted or a draft
         *     by now.
         */
        get: operations["show_skill"];
        /**
         * Publish a new version of a skill: as JSON, as a zip archive of its folder, or as a part for each file. It is checked whole
         *     before anything is stored, and readers see the old version or the new one. The same content again changes nothing. In each form
         *     it has up to 10,000 files, 256 MiB unpacked and 64 MiB zipped, and a file 64 MiB. A JSON body has up to 16 MiB; a larger skill is
         *     sent as an archive or in parts. Needs a key of scope `control`.
         */
        put: operations["publish_skill"];
        post?: never;
        /** Delete a skill. Its versions stay, and a rollback to one of them brings it back; a draft has none. Needs a key of scope `control`. */
        delete: operations["delete_skill"];
        options?: never;
        head?: never;
        /**
         * Change what a skill is, its description or its body: `state` publishes a draft, or makes a draft of a published skill. The
         *     rest of its SKILL.md stays as it was written. Needs a key of scope `control`.
         */
        patch: operations["change_skill"];
        trace?: never;
    };
    "/v1/users/{user}/usage": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        /** Return figures about how a user's conversations find and use skills, from the audit records. Needs a key of scope `control`. */
        get: operations["get_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/versions/{skill}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        /** List the versions of a skill, newest first. */
        get: operations["list_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A number of objects and their bytes. */
        Amount: {
            /**
             * Format: int64
             * @description How many objects.
             */
            objects: number;
            /**
             * Format: int64
             * @description Their bytes.
             */
            bytes: number;
        };
        /**
         * @description What a person decides about a call.
         * @enum {string}
         */
        ApprovalDecision: "allow" | "deny";
        /** @description The calls of a session that wait for a decision. */
        ApprovalList: {
            /** @description The oldest first. */
            approvals: components["schemas"]["WaitingCall"][];
        };
        /**
         * @description Who decides about calls that a person approves.
         * @enum {string}
         */
        ApproveBy: "control" | "host";
        /** @description A change of the catalog. */
        AuditCatalog: {
            /**
             * Format: int64
             * @description Skills that are new, or not as they were.
             */
            changed: number;
            /**
             * Format: int64
             * @description Skills that are gone.
             */
            removed: number;
        };
        /** @description A file, or a skill as a whole, that was changed. */
        AuditFile: {
            /** @description Its virtual path, or the path of the skill. */
            path: string;
            /** @description The version that was there before, if it was seen: the ETag of a file, the digest of a skill. */
            before?: (string | null) | undefined;
            /** @description SHA-256 of the content after, or the digest of a skill; null if it is gone. */
            after?: (string | null) | undefined;
            /** @description The version after. */
            etag?: (string | null) | undefined;
        };
        /** @description One page of records. */
        AuditList: {
            /** @description In the order of time. Records of several replicas may lie a minute apart in it from page to page. */
            records: components["schemas"]["AuditRecord"][];
            /** @description Give this back to get the next page; null on the last one. */
            next_cursor?: (string | null) | undefined;
        };
        /** @description A record of one operation: the caller, the session, the subject and the outcome. It has no contents and no questions. */
        AuditRecord: {
            /** @description Its position, which is the same for every replica. */
            id?: string | undefined;
            /**
             * Format: date-time
             * @description When the operation ended.
             */
            time: string;
            /** @description The operation, as policies and generated clients name it. */
            operation: string;
            /** @description The id of the call as the model wrote it; of any other call a name that no other has. */
            call?: string | undefined;
            /**
             * @description The caller's key: its name and the first digits of its hash, as `desk (9f86d081884c7d65)`; the digits alone if it has no name.
             *     Null if the service has no keys.
             */
            by?: (string | null) | undefined;
            /** @description The session; null for what lies beside sessions. */
            session?: (string | null) | undefined;
            /** @description What it was about: paths, or a skill. Empty if it was about neither. */
            subject?: string | undefined;
            layer?: (components["schemas"]["SkillLayer"] | null) | undefined;
            /** @description The user of the call; only in the records of a team or the organisation. */
            user?: (string | null) | undefined;
            /**
             * @description What an agent gave it, 4 KiB at most: of texts that are contents or questions their length alone. `input_cut` says that
             *     members are left out.
             */
            input?: (Record<string, never> | null) | undefined;
            input_names?: (components["schemas"]["InputNames"] | null) | undefined;
            /** @description `ok`, the code of its error, or `abandoned` if its caller did not wait for the end. */
            outcome?: string | undefined;
            changed?: (components["schemas"]["ChangeOutcome"] | null) | undefined;
            /**
             * Format: double
             * @description How long it took, in milliseconds.
             */
            ms?: number | undefined;
            /** @description The files that it changed, 100 at most. */
            files?: components["schemas"]["AuditFile"][] | undefined;
            /**
             * Format: int64
             * @description How many files more it changed.
             */
            more_files?: number | undefined;
            skill?: (components["schemas"]["AuditSkill"] | null) | undefined;
            /** @description The skills at the beginning of the session: the preloads of its policy, and the skills of its parent. */
            began_with?: components["schemas"]["AuditSkill"][] | undefined;
            catalog?: (components["schemas"]["AuditCatalog"] | null) | undefined;
            /**
             * Format: int64
             * @description How many skills a search found.
             */
            found?: (number | null) | undefined;
            /** @description The approval that it has begun to wait for. */
            approval?: (string | null) | undefined;
            /**
             * Format: int64
             * @description How many calls a record of `refuse_call` reports: those of the key at the route since its record before.
             */
            refused?: (number | null) | undefined;
        };
        /** @description What became of a skill in a session. */
        AuditSkill: {
            /** @description Its path. */
            skill: string;
            /** @description Its name. */
            name?: string | undefined;
            /** @description Its description. */
            description?: string | undefined;
            layer?: (components["schemas"]["SkillLayer"] | null) | undefined;
            /** @description The team, if it is a team's. */
            team?: (string | null) | undefined;
            /**
             * @description `loaded`, `reloaded`, `already_loaded` or `unloaded`; `preloaded` for one that a session began with though nobody named it,
             *     because the records or its parent had it.
             */
            status?: string | undefined;
        };
        BTreeMap: {
            [key: string]: {
                /**
                 * Format: int64
                 * @description How many objects.
                 */
                objects: number;
                /**
                 * Format: int64
                 * @description Their bytes.
                 */
                bytes: number;
            };
        };
        /** @description What the catalog of a user contains, and what the store keeps of it. */
        CatalogStatus: {
            /** @description How many skills there are. */
            skills: number;
            /** @description Findings that leave a skill out. */
            errors: number;
            /** @description Findings that a skill survives. */
            warnings: number;
            /**
             * Format: date-time
             * @description When the skills were read.
             */
            as_of: string;
            index?: (components["schemas"]["IndexStatus"] | null) | undefined;
        };
        /**
         * @description Whether a failed change is in the store.
         * @enum {string}
         */
        ChangeOutcome: "applied" | "not_applied" | "partial" | "unknown";
        /** @description What became of each part of a failed change that has several. */
        ChangeParts: {
            file?: (components["schemas"]["ChangeOutcome"] | null) | undefined;
            session?: (components["schemas"]["ChangeOutcome"] | null) | undefined;
            audit?: (components["schemas"]["ChangeOutcome"] | null) | undefined;
        };
        /** @description What to change of a session. */
        ChangeSessionRequest: {
            policy?: (components["schemas"]["Policy"] | null) | undefined;
            /**
             * @description Variables to set. A key of scope `control` sets any, and an agent's key sets the variables that the templates leave to
             *     agents.
             */
            vars?: ({
                [key: string]: string;
            } | null) | undefined;
            /** @description `null`: no skill is current any more. A skill becomes current by loading it. */
            current_skill?: (string | null) | undefined;
        };
        /** @description What to change of a skill. What is not named stays. */
        ChangeSkillRequest: {
            state?: (components["schemas"]["SkillState"] | null) | undefined;
            /** @description What it is for and when to use it. The rest of the frontmatter stays as it was written. */
            description?: (string | null) | undefined;
            /** @description Its instructions: SKILL.md without the frontmatter. */
            body?: (string | null) | undefined;
        };
        /** @description A file that differs between two versions. */
        ChangedFile: {
            /** @description Its path below the skill's folder. */
            path: string;
            /** @description What became of it. */
            change: components["schemas"]["FileDifference"];
            /** @description Whether it is no text, in either version. */
            binary: boolean;
            /** @description Whether `diff` has its lines. It has none of binary files, of those over 1 MiB, and of what is over its own limit. */
            shown: boolean;
            /**
             * Format: int64
             * @description Its bytes in the older version; null if that does not have it.
             */
            size_before?: (number | null) | undefined;
            /**
             * Format: int64
             * @description Its bytes in the newer version; null if that does not have it.
             */
            size_after?: (number | null) | undefined;
        };
        /** @description What sessions made from another one may do. */
        ChildRights: {
            /**
             * @description Whether they may load more skills than they begin with.
             * @default true
             */
            load?: (boolean | null) | undefined;
            /**
             * @description Whether they may write skills, which are drafts.
             * @default false
             */
            create?: (boolean | null) | undefined;
            /**
             * @description Whether they may change what other sessions load. No agent publishes a version; without this they do not change files
             *     of loaded skills either.
             * @default false
             */
            publish?: (boolean | null) | undefined;
        };
        /** @description What a new session begins with. */
        CreateSessionRequest: {
            /**
             * @description Values for the mount templates. A key of scope `control` sets any, and an agent's key sets the values that the templates
             *     leave to agents.
             */
            vars?: ({
                [key: string]: string;
            } | null) | undefined;
            policy?: (components["schemas"]["Policy"] | null) | undefined;
            /**
             * @description A session of the same user whose loaded skills, variables and policy it starts from, and whose `/workspace` and
             *     `/ticket` it shares. What that session's policy withholds in `children`, it may not do.
             */
            parent?: (string | null) | undefined;
        };
        /** @description A skill that was written. */
        CreateSkillReply: {
            /** @description Where it will lie: what `load_skill` takes. */
            skill: string;
            /** @description The digest of its files. */
            digest: string;
            /** @description What becomes of it: a draft. */
            state: components["schemas"]["SkillState"];
            /** @description What its author should know. */
            lint: components["schemas"]["SkillFileDiagnostic"][];
        };
        /** @description Write a skill as a draft. */
        CreateSkillRequest: {
            /**
             * @description Its name: lower-case letters, digits and single hyphens, after the folders that it lies in, if any:
             *     `writing/minutes`.
             */
            name: string;
            /** @description What it is for and when to use it, in at least 20 characters. */
            description: string;
            /** @description Its instructions in Markdown, in at least 40 characters. */
            body: string;
            template?: (components["schemas"]["SkillTemplate"] | null) | undefined;
        };
        /** @description A session whose object cannot be read. */
        DamagedSession: {
            /** @description Its id. */
            session_id: string;
            /** @description What the caller can do about it. */
            message: string;
        };
        /** @description A decision about a call that waits. */
        DecideApprovalRequest: {
            /** @description What is decided. */
            decision: components["schemas"]["ApprovalDecision"];
            /** @description Whether it holds for every call of this tool, or every load of this skill, in this session. */
            remember?: (boolean | null) | undefined;
            /**
             * @description With `deny`: a text for the model, at most 1,000 characters. The model receives it if it makes this call again within five
             *     minutes, also with `remember`. An empty text counts as none.
             */
            message?: (string | null) | undefined;
        };
        /** @description What was deleted. */
        DeleteReply: {
            /** @description The file or folder. */
            path: string;
            /**
             * Format: int64
             * @description Files removed.
             */
            deleted: number;
            outcome?: (components["schemas"]["ChangeOutcome"] | null) | undefined;
            /** @description Paths that could not be deleted, in byte order, the first 1,000. */
            failed?: components["schemas"]["FailedFile"][] | undefined;
            /**
             * Format: int64
             * @description How many more could not be.
             */
            more_failed?: number | undefined;
        };
        /** @description Delete a file, or a folder and everything below it. */
        DeleteRequest: {
            /** @description Absolute path of the file or folder. */
            path: string;
        };
        /** @description The deletion of a user: how far it is, and what went. */
        Deletion: {
            /** @description Who is deleted. */
            user_id: string;
            /** @description How far it is. */
            state: components["schemas"]["DeletionState"];
            /**
             * Format: date-time
             * @description When it was asked for.
             */
            requested_at: string;
            /** @description The name of the key that asked for it, if one did. */
            requested_by?: (string | null) | undefined;
            /**
             * Format: date-time
             * @description When the second sweep is due. The first begins at once.
             */
            second_sweep_at: string;
            /** @description The sweeps so far: the first removes what is there, the second what was written while it ran. */
            sweeps: components["schemas"]["Sweep"][];
            /**
             * Format: date-time
             * @description When all was done. From then on the id may be used again.
             */
            finished_at?: (string | null) | undefined;
            /**
             * @description Whether anything of the user is in the store at the time of this answer: the id is in use again, or a store carried out late
             *     what was sent to it before. To delete the user again removes it. Null while the deletion goes on.
             */
            found_now?: (boolean | null) | undefined;
        };
        /**
         * @description How far a deletion is.
         * @enum {string}
         */
        DeletionState: "deleting" | "deleted";
        /**
         * @description How bad it is.
         * @enum {string}
         */
        DiagnosticSeverity: "warning" | "error";
        /** @description The skills that answer a question, best first. */
        DiscoverReply: {
            /** @description The best of them. */
            skills: components["schemas"]["DiscoveredSkill"][];
            /** @description How many there are, those beyond the limit included. */
            total: number;
            /** @description What they are ranked by. */
            ranking: components["schemas"]["SearchRanking"];
            /** @description What was found and what to do next, in a sentence or two. */
            message: string;
            /**
             * @description Why the best of them may not fit, as a sentence, which the message has too. Absent if its confidence is high or nothing
             *     was found.
             */
            doubt?: (string | null) | undefined;
            /** @description The words of the question that count, if the request asks for an explanation. */
            words?: components["schemas"]["QuestionWord"][] | undefined;
            why?: (components["schemas"]["SkillStanding"] | null) | undefined;
        };
        /** @description Find skills for a task. */
        DiscoverRequest: {
            /** @description What the task is about: a few words, a sentence or a message of up to 16 KiB and 2,500 words. */
            query: string;
            /** @description Only this category and those below it. */
            category?: (string | null) | undefined;
            /** @description Only this level, in whatever case. */
            level?: (string | null) | undefined;
            /** @description 10 by default. */
            limit?: (number | null) | undefined;
            /** @description Say of each skill which words made its score. The session does not remember a search that asks for this. */
            explain?: (boolean | null) | undefined;
            /**
             * @description A skill of which to say where it stands, or why it was not found: a skill path, a folder or a name. The session does
             *     not remember a search that asks for this.
             */
            why?: (string | null) | undefined;
        };
        /** @description A skill that answers a question. */
        DiscoveredSkill: {
            /** @description What `load_skill` takes. */
            skill: string;
            /** @description Its name. */
            name: string;
            /** @description What it is for. */
            description: string;
            /** @description The part of `skill` before the last slash; empty at the top. */
            category: string;
            /** @description Whose folder it lies in. */
            layer: components["schemas"]["SkillLayer"];
            /**
             * Format: float
             * @description How much of the question it answers, from 0 to 1; in a `fused` ranking, how good it is beside the best.
             */
            score: number;
            /** @description Whether it is likely to answer the question. */
            confidence: components["schemas"]["SearchConfidence"];
            explain?: (components["schemas"]["ExplainedSkill"] | null) | undefined;
        };
        /** @description The files of a download. */
        DownloadReply: {
            /** @description One for each file, in the order of the request. */
            files: components["schemas"]["DownloadedFile"][];
        };
        /** @description Which files. */
        DownloadRequest: {
            /** @description Virtual paths. */
            paths: string[];
        };
        /** @description Files of which skills. */
        DownloadSkillsRequest: {
            /** @description Up to 100 skills. */
            skills: components["schemas"]["SkillFilesRequest"][];
        };
        /** @description One file of a download. */
        DownloadedFile: {
            /** @description The path as it was given. Of a file of a skill, where it lies below `skills/`. */
            path: string;
            /** @description Its version. */
            etag?: (string | null) | undefined;
            /** @description Its bytes in base64; absent if there is an error. */
            content?: (string | null) | undefined;
            error?: (components["schemas"]["ErrorCode"] | null) | undefined;
            /** @description What went wrong, in words. */
            detail?: (string | null) | undefined;
        };
        /** @description A file that was edited. */
        EditReply: {
            /** @description The file. */
            path: string;
            /**
             * Format: int64
             * @description How many occurrences were replaced.
             */
            occurrences: number;
            /** @description The version that holds the edit; null where another writer had replaced it before its tag could be learnt. */
            etag?: (string | null) | undefined;
        };
        /** @description Replace text in a file. */
        EditRequest: {
            /** @description Absolute path of the file. */
            file_path: string;
            /** @description The exact text to replace, without line numbers. */
            old_string: string;
            /** @description What to put in its place. */
            new_string: string;
            /** @description Replace every occurrence, instead of failing with `old_string_not_unique`. */
            replace_all?: (boolean | null) | undefined;
            newlines?: (components["schemas"]["Newlines"] | null) | undefined;
        };
        /**
         * @description What went wrong. Names are stable, and later versions add some.
         * @enum {string}
         */
        ErrorCode: "invalid_path" | "invalid_request" | "invalid_pattern" | "too_expensive" | "offset_out_of_range" | "old_string_empty" | "invalid_skill" | "binary_file" | "method_not_allowed" | "unauthenticated" | "denied" | "read_only" | "plan_mode" | "tool_blocked" | "approval_required" | "route_not_found" | "file_not_found" | "skill_not_found" | "version_not_found" | "deletion_not_found" | "approval_not_found" | "session_not_found" | "not_a_directory" | "is_a_directory" | "already_exists" | "ambiguous_skill" | "mount_conflict" | "workspace_shared" | "skill_changed" | "edit_conflict" | "old_string_not_found" | "old_string_not_unique" | "version_conflict" | "precondition_failed" | "file_too_large" | "rate_limited" | "store_unavailable" | "object_damaged" | "internal";
        /** @description Something that happened. */
        Event: {
            /**
             * @description Its position: a client sends it back as `Last-Event-ID`. Null for an event that is sent before its record, and for marks of
             *     the stream itself.
             */
            id?: (string | null) | undefined;
            /**
             * @description `tool_use_start`, `tool_result`, `skill_activated`, `skill_unloaded`, `permission_request`, `file_changed` or
             *     `catalog_changed`; `gap` and `dropped` say of the stream itself that events are missing.
             */
            event: string;
            /** @description The session; null for what lies beside sessions. */
            session?: (string | null) | undefined;
            /** @description What the event says. */
            data: unknown;
        };
        /** @description The events after a known event. */
        EventList: {
            /** @description In the order in which the service has their records, 1,000 and 128 KiB at most. */
            events: components["schemas"]["Event"][];
            /**
             * @description Send this back as `Last-Event-ID` to get the rest; null if there is no more. The answer to a request without the header has
             *     no event and the present position; null if events have no ids.
             */
            next?: (string | null) | undefined;
        };
        /** @description What a score is made of. */
        ExplainedSkill: {
            /** @description The words that made it, heaviest first: 32 at most. Their weights and those of `nearness` and `raised` add up to the score. */
            matches: components["schemas"]["SearchMatch"][];
            nearness?: (components["schemas"]["SearchNearness"] | null) | undefined;
            raised?: (components["schemas"]["SearchRaise"] | null) | undefined;
            /** @description How many more there are. */
            more?: number | undefined;
        };
        /** @description A file of a folder that could not be changed. */
        FailedFile: {
            /** @description The file. */
            path: string;
            /** @description The code of what went wrong. */
            code: components["schemas"]["ErrorCode"];
            /** @description Whether it may have been changed. */
            outcome: components["schemas"]["ChangeOutcome"];
        };
        /**
         * @description What became of a file between two versions.
         * @enum {string}
         */
        FileDifference: "added" | "removed" | "modified";
        /** @description One entry of a folder, or one file of a glob. */
        FileEntry: {
            /** @description Absolute, without a trailing slash. */
            path: string;
            /** @description Whether it is a folder. */
            is_dir: boolean;
            /**
             * Format: int64
             * @description Bytes; 0 for a folder.
             */
            size: number;
            /**
             * Format: date-time
             * @description When it was written; none for a folder.
             */
            modified_at?: (string | null) | undefined;
        };
        /** @description A file a glob found. */
        GlobMatch: {
            /** @description Absolute. */
            path: string;
            /**
             * Format: int64
             * @description Bytes.
             */
            size: number;
            /**
             * Format: date-time
             * @description When it was written.
             */
            modified_at: string;
        };
        /** @description Files in byte order of their paths. */
        GlobReply: {
            /** @description The files. */
            matches: components["schemas"]["GlobMatch"][];
            /** @description Whether there are more. */
            truncated: boolean;
            /** @description What was left out and how to get it. */
            truncation_reason?: (string | null) | undefined;
        };
        /** @description Find files by name. */
        GlobRequest: {
            /** @description The glob: without `/` it matches the base name at any depth, a leading `/` anchors it. */
            pattern: string;
            /** @description Folder to look in; everything the session sees if absent. */
            path?: (string | null) | undefined;
        };
        /** @description A file and how many of its lines matched. */
        GrepCount: {
            /** @description The file. */
            path: string;
            /**
             * Format: int64
             * @description Lines that matched.
             */
            count: number;
        };
        /** @description A line that matched. */
        GrepMatch: {
            /** @description The file. */
            path: string;
            /**
             * Format: int64
             * @description 1-based.
             */
            line: number;
            /** @description The line without its line ending. */
            text: string;
            /** @description Lines before it. */
            before?: string[] | undefined;
            /** @description Lines after it. */
            after?: string[] | undefined;
        };
        /**
         * @description What a grep returns.
         * @enum {string}
         */
        GrepOutput: "content" | "files" | "count";
        /** @description What a grep found, in one of three forms. */
        GrepReply: {
            /** @description With `content`: the first hits in (path, line) order. */
            matches?: (components["schemas"]["GrepMatch"][] | null) | undefined;
            /** @description With `files`: the files that hold a hit. */
            files?: (string[] | null) | undefined;
            /** @description With `count`: how many lines matched in each. */
            counts?: (components["schemas"]["GrepCount"][] | null) | undefined;
            /** @description Whether something was left out. */
            truncated: boolean;
            /** @description What was left out and how to get it. */
            truncation_reason?: (string | null) | undefined;
        };
        /** @description Search file contents. */
        GrepRequest: {
            /** @description A Rust regular expression, or plain text with `literal`. */
            pattern: string;
            /** @description Folder or file to search; everything the session sees if absent. */
            path?: (string | null) | undefined;
            /** @description Only files that this glob matches, such as `*.md`. */
            glob?: (string | null) | undefined;
            /** @description Take the pattern as plain text. */
            literal?: (boolean | null) | undefined;
            /** @description Ignore case. */
            ignore_case?: (boolean | null) | undefined;
            /** @description Lines to show before and after each hit. */
            context?: (number | null) | undefined;
            output_mode?: (components["schemas"]["GrepOutput"] | null) | undefined;
            /** @description Hits (or files, in the other modes) to return at most. */
            max_count?: (number | null) | undefined;
        };
        /** @description That the service is there. */
        HealthReply: {
            status: string;
        };
        /**
         * @description The events that a hook has something to say at.
         * @enum {string}
         */
        HookEventName: "SessionStart" | "UserPromptSubmit" | "PreToolUse" | "SubagentStart";
        /**
         * @description The input of a hook, in the shape of Claude's. The service ignores other members, because each event has its own and hosts add
         *     more. It reads a member only with the events that have the member. Other events may have anything under the same name.
         */
        HookInput: {
            /** @description The event: `SessionStart`, `UserPromptSubmit`, `PreToolUse` or `SubagentStart`. Any other is answered by `{}`. */
            hook_event_name: string;
            /**
             * @description Of `SessionStart`: why it begins, a text. After `resume` and `fork` the listing is not given again. After `compact` and `clear`
             *     a model has the instructions of loaded skills no more.
             */
            source?: unknown | undefined;
            /** @description Of `UserPromptSubmit`: what the person said, a text. */
            prompt?: unknown | undefined;
            /** @description Of `PreToolUse`: the name of the tool that is about to run, a text. `Bash`, `Task` and `Agent` are looked at. */
            tool_name?: unknown | undefined;
            /** @description Of `PreToolUse`: what the tool is called with, an object. */
            tool_input?: unknown | undefined;
            /** @description Of `SubagentStart`: the type of the sub-agent, a text. */
            agent_type?: unknown | undefined;
        };
        /** @description The output of a hook, in the shape of Claude's. It is `{}` if there is nothing to say. */
        HookOutput: {
            hookSpecificOutput?: (components["schemas"]["HookSpecificOutput"] | null) | undefined;
            /** @description The text for the person. Only the command line has one: why there is no context. */
            systemMessage?: (string | null) | undefined;
        };
        /** @description The text of a hook for the model. */
        HookSpecificOutput: {
            /** @description The event that was answered. */
            hookEventName: components["schemas"]["HookEventName"];
            /** @description The text that the host adds to the context. */
            additionalContext: string;
        };
        /** @description A `catalog.json` in the store. */
        IndexStatus: {
            /** @description Its key. */
            key: string;
            /**
             * Format: int64
             * @description Its size in bytes.
             */
            size: number;
            /**
             * Format: date-time
             * @description When it was written, by the store's clock.
             */
            modified_at: string;
            /**
             * Format: int64
             * @description The time since then.
             */
            age_seconds: number;
            /**
             * Format: date-time
             * @description When the skills in it were read; null if it is not used.
             */
            as_of?: (string | null) | undefined;
            /** @description Why it is not used. */
            problem?: (string | null) | undefined;
        };
        /** @description Which members of an input are names, and of what. */
        InputNames: {
            /** @description The arguments that are virtual paths. */
            paths?: string[] | undefined;
            /** @description The arguments that name skills. */
            skills?: string[] | undefined;
            /** @description The arguments that are globs of virtual paths. */
            globs?: string[] | undefined;
        };
        /** @description One finding of lint, with the file that it is about. */
        LintFinding: {
            /** @description How bad it is. */
            severity: components["schemas"]["DiagnosticSeverity"];
            /**
             * @description The name of a [`FindingCode`]: `description_missing`, `yaml_repaired`. A catalog that another version wrote can
             *     contain names that this version does not know.
             */
            code: string;
            /** @description What is wrong and how to fix it. */
            message: string;
            /**
             * Format: int32
             * @description 1-based line of SKILL.md, if it has one.
             */
            line?: (number | null) | undefined;
            /**
             * Format: int32
             * @description 1-based column in characters, if it has one.
             */
            column?: (number | null) | undefined;
            /** @description The file, below the skill's folder. Lines and columns are those of this file. */
            path: string;
            /** @description Whether `skillmount lint --fix` fixes it. It fixes nothing in a store. */
            fixable?: boolean | undefined;
        };
        /** @description One page of what lint finds in a user's own skills. */
        LintList: {
            /** @description In byte order of their paths, those without findings too. */
            skills: components["schemas"]["LintedSkill"][];
            /** @description Give this back to get the next page; null on the last one. */
            next_cursor?: (string | null) | undefined;
            /** @description Whether there are more files than are listed (100,000), so that skills beyond them are left out. */
            is_cut: boolean;
        };
        /** @description What lint finds in one skill. */
        LintedSkill: {
            /** @description Where the skill lies below `skills/`. */
            skill: string;
            /** @description Its SKILL.md, as its author knows it. */
            file: string;
            /** @description Findings that are fixed now, with their places in the file before the fix. */
            mended?: components["schemas"]["SkillFileDiagnostic"][] | undefined;
            /** @description What is wrong, in the order of the files: SKILL.md first. */
            findings: components["schemas"]["LintFinding"][];
            /** @description How many of the findings `skillmount lint --fix` fixes. It fixes nothing in a store. */
            fixable?: number | undefined;
            quality?: (components["schemas"]["SkillQuality"] | null) | undefined;
        };
        /**
         * @description How a listed skill came to be there.
         * @enum {string}
         */
        ListedSkillState: "published" | "draft" | "unmanaged";
        /** @description A skill that is loaded now. */
        LoadSkillReply: {
            /** @description What happened. */
            status: components["schemas"]["LoadStatus"];
            /** @description Where it lies. */
            skill: string;
            /** @description Its folder: `/skills/compraventa`. */
            mount: string;
            /** @description Its name. */
            name: string;
            /** @description What it is for. */
            description: string;
            /** @description The digest of the snapshot that is mounted. */
            digest: string;
            /** @description The digest of the published version that it is, if it is one. */
            version?: (string | null) | undefined;
            /** @description Its files. */
            files: components["schemas"]["SkillFile"][];
            /** @description Its instructions: SKILL.md without the frontmatter. Absent if the call wants none. */
            body?: (string | null) | undefined;
            /**
             * Format: int64
             * @description Lines of the instructions before those of `body`, if the call skips any.
             */
            body_offset?: number | undefined;
            /**
             * Format: int64
             * @description The offset to go on with, if the instructions have lines behind those of `body`.
             */
            next_offset?: (number | null) | undefined;
            /** @description The parameters of its body. */
            parameters: components["schemas"]["SkillParameter"][];
        };
        /** @description Load a skill. */
        LoadSkillRequest: {
            /** @description A skill path, a mount name or a frontmatter name, tried in that order. */
            skill: string;
            /** @description Another name for its folder below `/skills`, if its own is taken. */
            mount_as?: (string | null) | undefined;
            /** @description Arguments for the parameters of its body: words, or `name=value`. 16 KiB at most. */
            arguments?: (string | null) | undefined;
            /**
             * Format: uint64
             * @description Lines of its instructions to skip, 0 by default. A result that is cut names the offset to go on with.
             */
            offset?: (number | null) | undefined;
            /** @description The digest of a published version to load in place of what the skill is now. */
            digest?: (string | null) | undefined;
            /** @description Whether the reply holds the instructions. A framework that puts them into its prompt needs them once. */
            body?: (boolean | null) | undefined;
            invoker?: (components["schemas"]["SkillInvoker"] | null) | undefined;
        };
        /**
         * @description What a load did.
         * @enum {string}
         */
        LoadStatus: "loaded" | "already_loaded" | "reloaded";
        /**
         * @description The name of the tool that loads a skill.
         * @enum {string}
         */
        LoadTool: "load_skill" | "Skill";
        /** @description One skill a session has loaded, without its files. */
        LoadedSkill: {
            /** @description Where it lies: `escrituras/compraventa`. */
            skill: string;
            /** @description Its layer. */
            layer: components["schemas"]["SkillLayer"];
            /** @description Its folder: `/skills/compraventa`. */
            mount: string;
            /** @description The name in its frontmatter, or its folder's. */
            name: string;
            /** @description The description in its frontmatter. */
            description: string;
            /** @description The digest of the snapshot that is mounted: of its files at the time of the load. */
            digest: string;
            /**
             * Format: date-time
             * @description When it was loaded.
             */
            loaded_at: string;
        };
        /** @description A folder's entries in byte order; the root's in mount order. */
        LsReply: {
            /** @description The entries. */
            entries: components["schemas"]["FileEntry"][];
            /** @description Files that have the name of a folder among the entries, as a bucket can hold; reading and downloading reach them. */
            hidden?: components["schemas"]["FileEntry"][] | undefined;
            /** @description Whether there are more than fit. */
            truncated?: boolean | undefined;
        };
        /** @description List a folder. */
        LsRequest: {
            /** @description Absolute path of the folder. */
            path: string;
        };
        /** @description What became of a message. */
        MessageReply: {
            command?: (components["schemas"]["SlashCommand"] | null) | undefined;
            /** @description The text for the model; of a message that is no command, the very text. */
            text: string;
            loaded?: (components["schemas"]["LoadedSkill"] | null) | undefined;
        };
        /** @description What a person says to the agent. */
        MessageRequest: {
            /** @description The text as it was typed. */
            text: string;
            mode?: (components["schemas"]["PromptMode"] | null) | undefined;
            /** @description How long one result may be, in tokens of four bytes; 25,000 if absent. */
            result_tokens?: (number | null) | undefined;
        };
        /**
         * @description Whose message results are: the protocol has the user say them.
         * @enum {string}
         */
        MessageRole: "user";
        /** @description What was moved. */
        MoveReply: {
            /** @description The file or folder, as it was. */
            from: string;
            /** @description Its new path. */
            to: string;
            /**
             * Format: int64
             * @description Files that are at their new paths, and there only.
             */
            moved: number;
            outcome?: (components["schemas"]["ChangeOutcome"] | null) | undefined;
            /** @description Files that could not be moved, by their old paths and in byte order, the first 1,000. */
            failed?: components["schemas"]["FailedFile"][] | undefined;
            /**
             * Format: int64
             * @description How many more could not be moved.
             */
            more_failed?: number | undefined;
        };
        /** @description Move or rename a file, or a folder and everything below it. */
        MoveRequest: {
            /** @description Absolute path of the file or folder. */
            from: string;
            /** @description Its new absolute path. Nothing may be there. */
            to: string;
        };
        /**
         * @description What a line end in the texts of an edit stands for.
         * @enum {string}
         */
        Newlines: "exact" | "file";
        /** @description A heading of a body. */
        OutlineHeading: {
            /**
             * Format: int32
             * @description 1 to 6.
             */
            level: number;
            /** @description Its text. */
            text: string;
            /** @description The byte of the body its section begins at. */
            start: number;
            /** @description The byte of the body its section ends at. */
            end: number;
        };
        /** @description What a session, or every session of a user, may do. */
        Policy: {
            /** @default read */
            skills_access?: (components["schemas"]["SkillsAccess"] | null) | undefined;
            /** @default loaded */
            visibility?: (components["schemas"]["SkillVisibility"] | null) | undefined;
            /**
             * @description Whether surfaces that show the catalog by name may be used.
             * @default true
             */
            catalog_reads?: (boolean | null) | undefined;
            /**
             * @description Whether nothing may be changed.
             * @default false
             */
            plan_mode?: (boolean | null) | undefined;
            /** @default two_state */
            prompt_mode?: (components["schemas"]["PromptMode"] | null) | undefined;
            /** @default load_skill */
            load_tool?: (components["schemas"]["LoadTool"] | null) | undefined;
            /**
             * @description Rules by tool name; `*` for the rest. A rule for `Skill` is one for `load_skill`. A rule for `write` also holds
             *     for everything else that changes files, and one for `read` for downloads. If several rules hold, the strictest
             *     counts. If absent, `*` is `auto`. No `*` stands for `create_skill`: without a rule of its own it is `ask`.
             */
            tools?: ({
                [key: string]: components["schemas"]["ToolRule"];
            } | null) | undefined;
            /**
             * @description Rules by skill path; `escrituras/*` for a folder and all below it, `*` for the rest. The longest match decides.
             *     If absent, `*` is `auto_approve`.
             */
            skills?: ({
                [key: string]: components["schemas"]["SkillRule"];
            } | null) | undefined;
            /** @default [] */
            preload?: (components["schemas"]["Preload"] | null) | undefined;
            children?: (components["schemas"]["ChildRights"] | null) | undefined;
            /**
             * @description Skills that hooks hand down to sub-agents, by the type of the sub-agent; `*` for every type that is not named.
             *     Each is a skill path, `escrituras/*` or `*`. The user's and the session's add up.
             */
            agents?: ({
                [key: string]: string[];
            } | null) | undefined;
            /** @default null */
            approve_by?: (components["schemas"]["ApproveBy"] | null) | undefined;
        };
        Preload: string[] | "auto";
        /** @description What went wrong and what to do next, by RFC 9457. */
        Problem: {
            /** @description A name for the sort of problem: `urn:skillmount:problem:` and the code. */
            type: string;
            /** @description The sort of problem in words. */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description The fault and the next step, in words for an agent. */
            detail: string;
            /** @description The stable code. */
            code: components["schemas"]["ErrorCode"];
            /** @description The id of this request in the service's log. */
            request_id: string;
            /** @description Whether the same request may succeed later without being changed. */
            retryable: boolean;
            outcome?: (components["schemas"]["ChangeOutcome"] | null) | undefined;
            parts?: (components["schemas"]["ChangeParts"] | null) | undefined;
        } & {
            [key: string]: unknown;
        };
        /** @description What of each skill is in a prompt, and why. */
        PromptExplanation: {
            /** @description The skills that the session may see, at most 1,000. Skills with more text in the prompt come first. */
            skills: components["schemas"]["PromptSkill"][];
            /** @description How many more there are. */
            more?: number | undefined;
            /** @description The tokens of everything that belongs to no single skill: the sentences, categories and notes. */
            frame_tokens: number;
        };
        /**
         * @description How the listing is written.
         * @enum {string}
         */
        PromptFormat: "xml" | "yaml" | "markdown" | "json";
        /**
         * @description What the prompt contains.
         * @enum {string}
         */
        PromptMode: "two_state" | "listing" | "combined" | "discover";
        /** @description A prompt and what is known of it. */
        PromptReply: {
            /** @description The text for the system prompt. */
            prompt: string;
            /** @description The mode it was made in. */
            mode: components["schemas"]["PromptMode"];
            /** @description How the listing is written. */
            format: components["schemas"]["PromptFormat"];
            /** @description The tokens of `prompt`. */
            tokens: number;
            /** @description What counted them; `estimate` for a quarter of the bytes. */
            tokenizer: string;
            /** @description Skills it names. */
            shown: number;
            /** @description Skills it could have named: those of the category that the policy lets be seen. */
            total: number;
            /** @description Whether the budget left no room for all of them, or for their descriptions. */
            truncated?: boolean | undefined;
            explain?: (components["schemas"]["PromptExplanation"] | null) | undefined;
        };
        /** @description One skill and its part in a prompt. */
        PromptSkill: {
            /** @description Its path. */
            skill: string;
            /** @description How much of it is in the prompt. */
            status: components["schemas"]["PromptSkillStatus"];
            /** @description The tokens it takes. */
            tokens: number;
            /**
             * Format: int64
             * @description In how many sessions it was used, by the counts of when the session began.
             */
            uses: number;
            /** @description Why, in a sentence. */
            reason: string;
        };
        /**
         * @description How much of a skill is in a prompt.
         * @enum {string}
         */
        PromptSkillStatus: "instructions" | "whole" | "shortened" | "name" | "out";
        /** @description A part for each file, its name the path below the skill's folder. */
        PublishFilesRequest: {
            [key: string]: string;
        };
        /** @description A skill that is published now, or a draft. */
        PublishReply: {
            /** @description What happened. */
            status: components["schemas"]["PublishStatus"];
            /** @description Where it lies: what `load_skill` takes. */
            skill: string;
            /** @description The digest of the version: `sha256:` and 64 hex digits. */
            digest: string;
            /** @description What becomes of the skill. */
            state: components["schemas"]["SkillState"];
            /**
             * @description Whether the plain files in the bucket are those of this version. Until they are, sessions are served from the
             *     version itself, and any server brings them up to it. A draft has none.
             */
            complete: boolean;
            /** @description Files that another tool wrote meanwhile. They stay as they are, and the next publish keeps them as a version. */
            kept: string[];
            /** @description What lint finds: warnings, and for an earlier version also errors. */
            lint: components["schemas"]["SkillFileDiagnostic"][];
            /** @description How well it serves agents, with what would make it better. */
            quality: components["schemas"]["SkillQuality"];
        };
        /** @description A skill as text: what its SKILL.md says, and its other files. */
        PublishRequest: {
            /** @description What it is for and when to use it. */
            description: string;
            /** @description Its instructions: SKILL.md without the frontmatter. */
            body: string;
            /** @description Its other files, path and text of each. */
            files?: ({
                [key: string]: string;
            } | null) | undefined;
            /** @description Further fields of its frontmatter. Without a `name` it has that of its folder. */
            frontmatter?: ({
                [key: string]: unknown;
            } | null) | undefined;
        };
        /**
         * @description What publishing did.
         * @enum {string}
         */
        PublishStatus: "created" | "updated" | "unchanged";
        /** @description Something that costs a skill points. */
        QualityReason: {
            /** @description What it is, as a name. */
            code: string;
            /**
             * Format: int32
             * @description How many points it costs.
             */
            points: number;
            /** @description Whether it may harm who uses the skill. */
            security: boolean;
            /** @description What it is and how to fix it. */
            message: string;
        };
        /** @description A word of a question. Articles, prepositions and the like are none. */
        QuestionWord: {
            /** @description In lower case. */
            word: string;
            /**
             * Format: float
             * @description The share of the question's information that it has, from 0 to 1: the fewer skills contain it, the more.
             */
            share: number;
            /** @description Whether any skill contains it, or what it can mean. */
            known: boolean;
        };
        /** @description A window of a text file. The window fields are null where the file is blank or no lines were asked for. */
        ReadReply: {
            /** @description The lines, verbatim, each with its `\n` where it has one. */
            content: string;
            /**
             * Format: int64
             * @description 1-based number of the first line.
             */
            start_line?: (number | null) | undefined;
            /**
             * Format: int64
             * @description 1-based number of the last line.
             */
            end_line?: (number | null) | undefined;
            /**
             * Format: int64
             * @description The offset that goes on after this window; null at the end of the file.
             */
            next_offset?: (number | null) | undefined;
            /**
             * Format: int64
             * @description Lines of the file; null where its end was not reached.
             */
            total_lines?: (number | null) | undefined;
            /**
             * Format: int64
             * @description Bytes of the file.
             */
            size: number;
            /** @description The version that was read. */
            etag: string;
            /**
             * Format: date-time
             * @description When that version was written.
             */
            modified_at: string;
            /** @description Whether bytes that are not UTF-8 were replaced. */
            lossy?: boolean | undefined;
            /** @description Whether the window was cut before `limit` because it grew too large. */
            truncated?: boolean | undefined;
        };
        /** @description Read lines of a text file. */
        ReadRequest: {
            /** @description Absolute path of the file. */
            file_path: string;
            /**
             * Format: uint64
             * @description Lines to skip, 0 by default.
             */
            offset?: (number | null) | undefined;
            /**
             * Format: uint64
             * @description Lines to return, 2,000 by default.
             */
            limit?: (number | null) | undefined;
        };
        /** @description What a reading of the catalog found. */
        RefreshReply: {
            /** @description How many skills there are now. */
            skills: number;
            /** @description How many of them are new to this server, or not as it last read them. */
            changed: number;
            /** @description How many it knew that are gone. */
            removed: number;
            /**
             * Format: date-time
             * @description When the store was asked.
             */
            as_of: string;
        };
        /** @description Which version to go back to. */
        RollbackRequest: {
            /** @description Its digest. */
            digest: string;
        };
        /**
         * @description Whether a skill that was found is likely to answer the question.
         * @enum {string}
         */
        SearchConfidence: "high" | "low";
        /**
         * @description A part of a skill that is searched.
         * @enum {string}
         */
        SearchField: "name" | "description" | "when_to_use" | "keywords" | "category" | "headings" | "body";
        /** @description A word of a skill that answers a word of the question. */
        SearchMatch: {
            /** @description The part of the skill that contains it. */
            field: components["schemas"]["SearchField"];
            /** @description The word of the question, in lower case. */
            word: string;
            /** @description The word of the skill, in lower case. */
            matched: string;
            /** @description How the two go together. */
            by: components["schemas"]["SearchMatchKind"];
            /**
             * Format: float
             * @description What it adds to the score.
             */
            weight: number;
        };
        /**
         * @description How a word of a skill answers a word of a question.
         * @enum {string}
         */
        SearchMatchKind: "exact" | "accent" | "stem" | "part" | "typo" | "translation" | "typo_and_translation";
        /** @description How near a skill is to a question in meaning. */
        SearchNearness: {
            /**
             * Format: float
             * @description The cosine of the angle between the vectors of question and skill. What is nothing to an encoder depends on the encoder; in a
             *     `lexical` ranking it lies between 0 and 1.
             */
            cosine: number;
            /**
             * Format: float
             * @description What it adds to the score.
             */
            weight: number;
        };
        /** @description By how much a skill is raised by the user's own loads. */
        SearchRaise: {
            /** @description How often the user's sessions loaded it after like questions. */
            loads: number;
            /**
             * Format: float
             * @description What that adds to the score.
             */
            weight: number;
        };
        /**
         * @description What skills are ranked by.
         * @enum {string}
         */
        SearchRanking: "lexical" | "fused";
        /**
         * @description Whether a skill was found, and if not, why.
         * @enum {string}
         */
        SearchStanding: "found" | "beyond_limit" | "too_little" | "no_match" | "other_category" | "other_level" | "people_only" | "unreadable" | "not_indexed";
        /** @description One agent conversation, without its snapshots, discoveries and ranks. */
        Session: {
            /** @description Its id, unique within the user. */
            session_id: string;
            /** @description The user it belongs to. */
            user_id: string;
            /** @description Values for the mount templates. */
            vars: {
                [key: string]: string;
            };
            /** @description What it may do. Only a key of scope `control` is shown rules that name skills. */
            policy: components["schemas"]["Policy"];
            /** @description Tools that the policy has rules for and that this version does not know; they change nothing. */
            unknown_tools?: string[] | undefined;
            /**
             * @description In the answer to a change of the policy: rules for skills, and skills for sub-agents, that match no skill of the catalog;
             *     they change nothing now.
             */
            unmatched_rules?: string[] | undefined;
            /**
             * @description In the answer to a creation of a session that exists: the members of the request that differ from the session and
             *     change nothing, of `policy`, `vars` and `parent`. `PATCH` changes policy and variables.
             */
            unchanged?: string[] | undefined;
            /** @description The session it was forked from. */
            parent?: (string | null) | undefined;
            /** @description The session whose `/workspace` and `/ticket` it shares; null if they are its own. */
            workspace_of?: (string | null) | undefined;
            /** @description The skill whose instructions the prompt holds. */
            current_skill?: (string | null) | undefined;
            /**
             * Format: int64
             * @description Counts changes; 0 for a session that was never changed.
             */
            version: number;
            /**
             * Format: date-time
             * @description When it began.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it is forgotten if nothing happens in it.
             */
            expires_at: string;
            /** @description Skills in the order they were loaded. */
            loaded_skills: components["schemas"]["LoadedSkill"][];
        };
        /** @description The result of removing a user's idle sessions. */
        SessionGcReply: {
            /**
             * Format: int64
             * @description Sessions that were removed.
             */
            removed: number;
            /** @description Sessions that cannot be read and were not removed. */
            damaged: components["schemas"]["DamagedSession"][];
            /**
             * Format: int64
             * @description Sessions that have the tag now, if they were to get it.
             */
            tagged?: (number | null) | undefined;
            /** @description Why others have none, if so: the store keeps no tags, or does not let them be set. */
            untagged?: (string | null) | undefined;
        };
        /** @description One page of sessions. */
        SessionList: {
            /** @description In byte order of their ids, as keys of the store have them. */
            sessions: components["schemas"]["Session"][];
            /** @description Sessions of the page with a damaged object. `DELETE` removes one. */
            damaged: components["schemas"]["DamagedSession"][];
            /** @description Give this back to get the next page; null on the last one. */
            next_cursor?: (string | null) | undefined;
        };
        /** @description Something wrong with a SKILL.md. */
        SkillDiagnostic: {
            /** @description How bad it is. */
            severity: components["schemas"]["DiagnosticSeverity"];
            /**
             * @description The name of a [`FindingCode`]: `description_missing`, `yaml_repaired`. A catalog that another version wrote can
             *     contain names that this version does not know.
             */
            code: string;
            /** @description What is wrong and how to fix it. */
            message: string;
            /**
             * Format: int32
             * @description 1-based line of SKILL.md, if it has one.
             */
            line?: (number | null) | undefined;
            /**
             * Format: int32
             * @description 1-based column in characters, if it has one.
             */
            column?: (number | null) | undefined;
            /** @description Its folder below `skills/`; not always a valid skill path. */
            skill: string;
        };
        /** @description One file of a skill. */
        SkillFile: {
            /** @description Its virtual path. */
            path: string;
            /**
             * Format: int64
             * @description Bytes.
             */
            size: number;
        };
        /** @description One finding, with its place. */
        SkillFileDiagnostic: {
            /** @description How bad it is. */
            severity: components["schemas"]["DiagnosticSeverity"];
            /**
             * @description The name of a [`FindingCode`]: `description_missing`, `yaml_repaired`. A catalog that another version wrote can
             *     contain names that this version does not know.
             */
            code: string;
            /** @description What is wrong and how to fix it. */
            message: string;
            /**
             * Format: int32
             * @description 1-based line of SKILL.md, if it has one.
             */
            line?: (number | null) | undefined;
            /**
             * Format: int32
             * @description 1-based column in characters, if it has one.
             */
            column?: (number | null) | undefined;
        };
        /** @description Which files of one skill. */
        SkillFilesRequest: {
            /** @description Where the skill lies, such as `escrituras/compraventa`. */
            skill: string;
            /** @description Paths below its folder; all of its files unless given. */
            paths?: (string[] | null) | undefined;
        };
        /**
         * @description Who asks for a skill, where its author makes a difference between them.
         * @enum {string}
         */
        SkillInvoker: "model" | "person";
        /**
         * @description The origin of a skill. The nearest layer wins.
         * @enum {string}
         */
        SkillLayer: "user" | "team" | "org";
        /** @description One page of skills. */
        SkillList: {
            /** @description In byte order of their paths. */
            skills: components["schemas"]["SkillReply"][];
            /** @description Faults of the skills of this page, and of skills that the catalog omits between this page and the next. */
            diagnostics: components["schemas"]["SkillDiagnostic"][];
            /** @description How many skills there are on all pages. */
            total: number;
            /** @description How many diagnostics there are on all pages. */
            total_diagnostics: number;
            /**
             * Format: date-time
             * @description When the store was asked.
             */
            as_of: string;
            /** @description Give this back to get the next page; null on the last one. */
            next_cursor?: (string | null) | undefined;
        };
        /** @description One skill with its instructions. */
        SkillPage: {
            /** @description Where it lies: what `load_skill` takes. */
            skill: string;
            /** @description Its name. */
            name: string;
            /** @description What it is for and when to use it. */
            description: string;
            /** @description The part of `skill` before the last slash; empty at the top. */
            category: string;
            /** @description Whose folder it lies in. */
            layer: components["schemas"]["SkillLayer"];
            /** @description Its frontmatter as it was written, unknown fields included. */
            frontmatter: {
                [key: string]: unknown;
            };
            /** @description How many files it has. */
            files: number;
            /**
             * Format: int64
             * @description All their bytes.
             */
            size: number;
            /**
             * Format: date-time
             * @description The newest of them.
             */
            updated_at: string;
            /** @description Whether it was published through the service. */
            state: components["schemas"]["ListedSkillState"];
            /**
             * @description The digest of the published version that its files are, or of the draft: `sha256:` and 64 hex digits. Null if it was
             *     never published, and if other tools changed its folder since.
             */
            digest?: (string | null) | undefined;
            /** @description Layers further away that have a skill of the same path. */
            shadows: components["schemas"]["SkillLayer"][];
            /** @description SKILL.md without its frontmatter. */
            body: string;
            /** @description The headings of the body, 10,000 at most. */
            outline: components["schemas"]["OutlineHeading"][];
            /** @description Whether the outline is cut: the body has more headings, or more text in them, than is kept. */
            outline_truncated: boolean;
            /** @description Its files, by their path below the skill's folder. */
            file_list: components["schemas"]["SkillFile"][];
            /** @description What is wrong with its SKILL.md. */
            diagnostics: components["schemas"]["SkillFileDiagnostic"][];
        };
        /** @description A parameter of a skill's body. */
        SkillParameter: {
            /** @description Its name. */
            name: string;
            /** @description What to ask the user for, where its author says. */
            description?: (string | null) | undefined;
            /** @description Whether the skill cannot be followed without it. */
            required: boolean;
            /** @description The value it was given, or its default. */
            value?: (string | null) | undefined;
        };
        /** @description How well a skill serves agents. */
        SkillQuality: {
            /**
             * Format: int32
             * @description 0 to 100.
             */
            score: number;
            /** @description Whether hosts that take skills over MCP take this one: it has at most 512 files and 16 MiB. */
            mcp: boolean;
            /** @description What costs points, most first. */
            reasons: components["schemas"]["QualityReason"][];
        };
        /** @description One skill of the catalog. */
        SkillReply: {
            /** @description Where it lies: what `load_skill` takes. */
            skill: string;
            /** @description Its name. */
            name: string;
            /** @description What it is for and when to use it. */
            description: string;
            /** @description The part of `skill` before the last slash; empty at the top. */
            category: string;
            /** @description Whose folder it lies in. */
            layer: components["schemas"]["SkillLayer"];
            /** @description Its frontmatter as it was written, unknown fields included. */
            frontmatter: {
                [key: string]: unknown;
            };
            /** @description How many files it has. */
            files: number;
            /**
             * Format: int64
             * @description All their bytes.
             */
            size: number;
            /**
             * Format: date-time
             * @description The newest of them.
             */
            updated_at: string;
            /** @description Whether it was published through the service. */
            state: components["schemas"]["ListedSkillState"];
            /**
             * @description The digest of the published version that its files are, or of the draft: `sha256:` and 64 hex digits. Null if it was
             *     never published, and if other tools changed its folder since.
             */
            digest?: (string | null) | undefined;
            /** @description Layers further away that have a skill of the same path. */
            shadows: components["schemas"]["SkillLayer"][];
        };
        /**
         * @description What happens when a skill is loaded. A later level is stricter.
         * @enum {string}
         */
        SkillRule: "auto_approve" | "enabled" | "disabled" | "blocked";
        /** @description Where a skill stands in a search. */
        SkillStanding: {
            /** @description Its path. */
            skill: string;
            /** @description Whether it was found, and if not, why. */
            standing: components["schemas"]["SearchStanding"];
            /** @description Its place among all skills that were found, from 1. */
            rank?: (number | null) | undefined;
            /**
             * Format: float
             * @description Its score, whether it was found or not.
             */
            score: number;
            /** @description The same in a sentence, with what to do about it. */
            message: string;
            explain?: (components["schemas"]["ExplainedSkill"] | null) | undefined;
        };
        /**
         * @description What becomes of a skill.
         * @enum {string}
         */
        SkillState: "published" | "draft";
        /**
         * @description What kind of work a skill is for.
         * @enum {string}
         */
        SkillTemplate: "analysis" | "writing" | "code";
        /** @description How often a skill is used. */
        SkillUsage: {
            /** @description Its path. */
            skill: string;
            /**
             * Format: int64
             * @description How often it was loaded: by calls, loads of a loaded skill included, and by conversations that began with it.
             */
            loads: number;
            /**
             * Format: int64
             * @description In how many conversations.
             */
            conversations: number;
            /**
             * Format: double
             * @description The share of conversations that used it.
             */
            rate: number;
            /**
             * Format: date-time
             * @description When it was loaded last.
             */
            last_used: string;
        };
        /** @description A version of a skill. */
        SkillVersion: {
            /** @description Its digest: what `load_skill` and a rollback take. */
            digest: string;
            /**
             * Format: date-time
             * @description When it was first published.
             */
            published_at: string;
            /**
             * @description The key that published it: its name and the first digits of its hash, as `desk (9f86d081884c7d65)`. Null if there are no keys,
             *     or if other tools wrote it.
             */
            by?: (string | null) | undefined;
            /** @description Where it comes from, in the words of who published it. */
            source?: (string | null) | undefined;
            /** @description How many files it has; null if its archive does not say. */
            files?: (number | null) | undefined;
            /**
             * Format: int64
             * @description All their bytes; null if its archive does not say.
             */
            size?: (number | null) | undefined;
        };
        /** @description A change of which version of a skill is published: a publish, a rollback or a deletion. */
        SkillVersionChange: {
            /** @description The version that was published; null if the skill was deleted. */
            digest?: (string | null) | undefined;
            /** @description The version that was there before; null if there was none. */
            previous?: (string | null) | undefined;
            /**
             * Format: date-time
             * @description When it was made.
             */
            at: string;
            /** @description The key that made it, as in versions. */
            by?: (string | null) | undefined;
            /** @description Where it comes from, in the words of who made it; `a rollback` for one. */
            source?: (string | null) | undefined;
        };
        /**
         * @description Which skills `/skills` shows.
         * @enum {string}
         */
        SkillVisibility: "loaded" | "all";
        /**
         * @description Whether agents may change the files of loaded skills.
         * @enum {string}
         */
        SkillsAccess: "read" | "write";
        /** @description A slash command. */
        SlashCommand: {
            /** @description The skill it names: as it was typed, or, once loaded, its path. */
            skill: string;
            /** @description What was typed after it. */
            arguments?: (string | null) | undefined;
        };
        /** @description One sweep over everything of a user. */
        Sweep: {
            /**
             * Format: date-time
             * @description When it began.
             */
            began_at: string;
            /**
             * Format: date-time
             * @description When it ended; null while it goes on.
             */
            ended_at?: (string | null) | undefined;
            /** @description All objects that it removed. */
            total: components["schemas"]["Amount"];
            /** @description The same by area. */
            areas: components["schemas"]["BTreeMap"];
            /** @description Earlier versions that it removed from a versioned bucket, and marks of deletes. */
            versions: components["schemas"]["Amount"];
            /** @description Why earlier versions were left, if there may be some: the store cannot remove them, or does not let the service. */
            versions_left?: (string | null) | undefined;
            /**
             * Format: int64
             * @description Objects that stay, because no call of the store can name their keys.
             */
            left: number;
            /**
             * Format: int32
             * @description How often another process went on with it. What a process removed just before it ended is not counted.
             */
            interrupted: number;
        };
        /** @description What a model said in one turn. */
        ToolCallsRequest: {
            format?: (components["schemas"]["TurnFormat"] | null) | undefined;
            /** @description With `anthropic`: the blocks of its message. Those of type `tool_use` are run, others are passed over. */
            content?: ({
                [key: string]: unknown;
            }[] | null) | undefined;
            /** @description With `openai`: the `tool_calls` of its message. Those of type `function` are run, others are passed over. */
            tool_calls?: ({
                [key: string]: unknown;
            }[] | null) | undefined;
            mode?: (components["schemas"]["PromptMode"] | null) | undefined;
            /** @description How long one result may be, in tokens of four bytes; 25,000 if absent. */
            result_tokens?: (number | null) | undefined;
        };
        /** @description The tools a session may use now. */
        ToolList: {
            /** @description In an order that never changes, each as the format has it. */
            tools: {
                [key: string]: unknown;
            }[];
        };
        /** @description The message that answers one call. If the call failed, its text begins with `Error: `. */
        ToolMessage: {
            /** @description Whose message it is. */
            role: components["schemas"]["ToolRole"];
            /** @description The id of the call. */
            tool_call_id: string;
            /** @description The result as the model reads it. */
            content: string;
            /** @description The code of its error, if it failed and the request asks for details. APIs of models reject a message that has it. */
            code?: (string | null) | undefined;
            /** @description The id under which the call waits for a person, if it waits and the request asks for details. */
            approval_id?: (string | null) | undefined;
        };
        /** @description The messages that answer a turn of `tool_calls`. */
        ToolMessages: {
            /** @description One for each call, in the order of the calls. They go behind the message with the calls as they are. */
            messages: components["schemas"]["ToolMessage"][];
        };
        /** @description What came of one call. */
        ToolResult: {
            /** @description What sort of block it is. */
            type: components["schemas"]["ToolResultType"];
            /** @description The id of the call. */
            tool_use_id: string;
            /** @description The result as the model reads it. */
            content: string;
            /** @description Whether it failed; absent where it did not. */
            is_error?: boolean | undefined;
            /** @description The code of its error, if the request asks for details. APIs of models reject a block that has it. */
            code?: (string | null) | undefined;
            /** @description The id under which the call waits for a person, if it waits and the request asks for details. */
            approval_id?: (string | null) | undefined;
        };
        /**
         * @description The sort of block a result is.
         * @enum {string}
         */
        ToolResultType: "tool_result";
        /** @description The message that answers a turn of `tool_use` blocks. */
        ToolResults: {
            /** @description Whose message it is. */
            role: components["schemas"]["MessageRole"];
            /** @description One result for each call, in the order of the calls. */
            content: components["schemas"]["ToolResult"][];
        };
        /**
         * @description Whose message the answer to one call is.
         * @enum {string}
         */
        ToolRole: "tool";
        /**
         * @description What happens when a tool is called. A later level is stricter.
         * @enum {string}
         */
        ToolRule: "auto" | "ask" | "blocked";
        /**
         * @description The shape of a turn.
         * @enum {string}
         */
        TurnFormat: "anthropic" | "openai";
        /** @description The answer to a turn, in the shape of the turn. */
        TurnReply: components["schemas"]["ToolResults"] | components["schemas"]["ToolMessages"];
        /** @description What became of it. */
        UnloadSkillReply: {
            /** @description What happened. */
            status: components["schemas"]["UnloadStatus"];
            /** @description The skill path, or the name as it was given where no such skill is loaded. */
            skill: string;
        };
        /** @description Hide a skill again. */
        UnloadSkillRequest: {
            /** @description A skill path, a mount name or a frontmatter name. */
            skill: string;
        };
        /**
         * @description What an unload did.
         * @enum {string}
         */
        UnloadStatus: "unloaded" | "not_loaded";
        /** @description What became of the files of an upload. */
        UploadReply: {
            /** @description In the order of the parts. */
            files: components["schemas"]["UploadedFile"][];
        };
        /** @description A part for each file, its name the virtual path. */
        UploadRequest: {
            [key: string]: string;
        };
        /** @description What became of one file. */
        UploadedFile: {
            /** @description The path as it was given. */
            path: string;
            /** @description Its version. */
            etag?: (string | null) | undefined;
            error?: (components["schemas"]["ErrorCode"] | null) | undefined;
            /** @description What went wrong, in words. */
            detail?: (string | null) | undefined;
            outcome?: (components["schemas"]["ChangeOutcome"] | null) | undefined;
            parts?: (components["schemas"]["ChangeParts"] | null) | undefined;
        };
        /** @description How a user's conversations find and use skills. A figure is null if there is nothing to make it from. */
        Usage: {
            /**
             * Format: int64
             * @description Sessions in which an agent called an operation.
             */
            conversations: number;
            /**
             * Format: double
             * @description The share of conversations that searched for skills.
             */
            discovery_rate?: (number | null) | undefined;
            /**
             * Format: double
             * @description The share of searches after which the conversation loaded a skill before it searched again.
             */
            discovery_success?: (number | null) | undefined;
            /**
             * Format: double
             * @description The mean number of calls from such a search to the load. The load counts too.
             */
            discovery_to_use_turns?: (number | null) | undefined;
            /**
             * Format: double
             * @description The share of approvals among the decisions of persons about waiting calls. A call without a decision does not count.
             */
            approval_rate?: (number | null) | undefined;
            /**
             * Format: double
             * @description The share of calls that succeeded. A call that was told to ask for an approval is none yet.
             */
            completion_rate?: (number | null) | undefined;
            /**
             * Format: int64
             * @description The mean number of tokens that loading on demand saved a conversation: the present instructions of all skills of the user,
             *     less the skills that the conversation used. A token is four bytes.
             */
            context_saved_tokens?: (number | null) | undefined;
            /**
             * Format: int64
             * @description Searches.
             */
            searches: number;
            /**
             * Format: int64
             * @description Searches that found nothing.
             */
            unanswered: number;
            /** @description The skills that conversations used, the most used first. */
            skills: components["schemas"]["SkillUsage"][];
            /** @description The skills that at least 30 % of conversations chose: an agent loaded them or read a file of them, or a policy named them. */
            default_candidates: string[];
            /** @description Whether there are more records than are looked at: the earliest batches are left out, and conversations and skills over the limits. */
            truncated?: boolean | undefined;
        };
        /** @description A user with objects in the store. */
        User: {
            /** @description Its id. */
            user_id: string;
        };
        /** @description One page of users. */
        UserList: {
            /** @description In byte order of their folders, `{user_id}/`. A page may have none and still name a next one. */
            users: components["schemas"]["User"][];
            /** @description Give this back to get the next page; null on the last one. */
            next_cursor?: (string | null) | undefined;
        };
        /** @description The policy of a user. */
        UserPolicy: {
            /**
             * @description Whether agents may change files of loaded skills.
             * @default read
             */
            skills_access?: components["schemas"]["SkillsAccess"] | undefined;
            /**
             * @description Which skills `/skills` shows.
             * @default loaded
             */
            visibility?: components["schemas"]["SkillVisibility"] | undefined;
            /**
             * @description Whether surfaces that show the catalog by name may be used.
             * @default true
             */
            catalog_reads?: boolean | undefined;
            /**
             * @description Whether nothing may be changed.
             * @default false
             */
            plan_mode?: boolean | undefined;
            /**
             * @description What the prompt contains. A session's own: a user's policy that sets it is refused.
             * @default two_state
             */
            prompt_mode?: components["schemas"]["PromptMode"] | undefined;
            /**
             * @description The name of the tool that loads a skill. A session's own: a user's policy that sets it is refused.
             * @default load_skill
             */
            load_tool?: components["schemas"]["LoadTool"] | undefined;
            /**
             * @description Rules by tool name; `*` for the rest. A rule for `Skill` is one for `load_skill`. A rule for `write` also holds
             *     for everything else that changes files, and one for `read` for downloads. If several rules hold, the strictest
             *     counts. If absent, `*` is `auto`. No `*` stands for `create_skill`: without a rule of its own it is `ask`.
             * @default {
             *       "*": "auto"
             *     }
             */
            tools?: {
                [key: string]: components["schemas"]["ToolRule"];
            } | undefined;
            /**
             * @description Rules by skill path; `escrituras/*` for a folder and all below it, `*` for the rest. The longest match decides.
             *     If absent, `*` is `auto_approve`.
             * @default {
             *       "*": "auto_approve"
             *     }
             */
            skills?: {
                [key: string]: components["schemas"]["SkillRule"];
            } | undefined;
            /**
             * @description Skills to load when the session begins; `auto` for skills that at least 30 % of the user's conversations used. A session's
             *     own: a user's policy that sets it is refused.
             * @default []
             */
            preload?: components["schemas"]["Preload"] | undefined;
            /**
             * @description Rights of the sessions that begin from this one. Absent if it is the default, so that earlier versions read the policy.
             * @default {
             *       "load": true,
             *       "create": false,
             *       "publish": false
             *     }
             */
            children?: components["schemas"]["ChildRights"] | undefined;
            /**
             * @description Skills that hooks hand down to sub-agents, by the type of the sub-agent; `*` for every type that is not named.
             *     Each is a skill path, `escrituras/*` or `*`. The user's and the session's add up.
             * @default {}
             */
            agents?: {
                [key: string]: string[];
            } | undefined;
            /** @default null */
            approve_by?: (components["schemas"]["ApproveBy"] | null) | undefined;
            /** @description Tools that it has rules for and that this version does not know; they change nothing. */
            unknown_tools?: string[] | undefined;
            /**
             * @description In the answer to a change: rules for skills, and skills for sub-agents, that match no skill of the catalog; they change
             *     nothing now.
             */
            unmatched_rules?: string[] | undefined;
        };
        /** @description What differs between two versions of a skill. */
        VersionDiff: {
            /** @description The older version; null if there was none. */
            from?: (string | null) | undefined;
            /** @description The newer version; null if the skill is deleted. */
            to?: (string | null) | undefined;
            /** @description The lines that differ, as a unified diff of all text files, in byte order of their paths. */
            diff: string;
            /** @description The files that differ, binary ones included, in the same order; 1,000 at most. */
            files: components["schemas"]["ChangedFile"][];
            /** @description How many files differ. */
            total: number;
            /** @description Whether lines are missing from `diff`, or files from `files`. */
            truncated: boolean;
            /** @description Why, and how to get the rest; null if nothing is missing. */
            truncation_reason?: (string | null) | undefined;
        };
        /** @description One page of the versions of a skill. */
        VersionList: {
            /** @description The newest first. */
            versions: components["schemas"]["SkillVersion"][];
            /**
             * @description The version that is published; null for a deleted skill. If other tools changed the folder since, the document of the
             *     skill has `digest` null.
             */
            current?: (string | null) | undefined;
            last_change?: (components["schemas"]["SkillVersionChange"] | null) | undefined;
            /** @description Give this back to get the next page; null on the last one. */
            next_cursor?: (string | null) | undefined;
        };
        /** @description A call that waits for a decision. */
        WaitingCall: {
            /** @description Its id. */
            approval_id: string;
            /** @description The tool that was called. */
            tool: string;
            /** @description The input of the call. Of a long one, long texts are cut. */
            input: {
                [key: string]: unknown;
            };
            /** @description Whether `input` is only a part. */
            input_cut: boolean;
            /** @description The skill that is to be loaded, if the call loads one. */
            skill?: (string | null) | undefined;
            /** @description The digest of the files of that skill. A load of other files is another call. */
            digest?: (string | null) | undefined;
            /** @description The digest of the files that a person allowed before, if the skill has changed since. */
            allowed_digest?: (string | null) | undefined;
            /**
             * Format: date-time
             * @description When the call stops waiting. Made again after that, it is another one.
             */
            expires_at: string;
            /**
             * Format: int64
             * @description The whole seconds until then.
             */
            seconds_left: number;
        };
        /** @description A file that was written. */
        WriteReply: {
            /** @description The file. */
            path: string;
            /** @description Its version; null where another writer had replaced it before its tag could be learnt. */
            etag?: (string | null) | undefined;
            /**
             * Format: int64
             * @description Its size in bytes.
             */
            bytes: number;
            /** @description Whether it is certain that no file was there before: always with `overwrite: false`, never otherwise. */
            created: boolean;
        };
        /** @description Make a file. */
        WriteRequest: {
            /** @description Absolute path of the file. */
            file_path: string;
            /** @description Its whole content. */
            content: string;
            /** @description Replace what is there, instead of failing with `already_exists`. */
            overwrite?: (boolean | null) | undefined;
        };
    };
    responses: never;
    parameters: {
        /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
        CallId: string;
        /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
        RequestId: string;
        /** @description The session version that a reply gave. The answer is then from no older session. */
        SessionVersion: string;
    };
    requestBodies: never;
    headers: {
        /** @description `bytes`: parts of the file can be asked for. */
        AcceptRanges: string;
        /** @description Nobody but the caller keeps it, and not without asking again. */
        CacheControl: string;
        /** @description How a key is sent. */
        Challenge: string;
        /** @description `attachment`, with a name for a file. */
        Disposition: string;
        /** @description When the file was written. */
        LastModified: string;
        /** @description `nosniff`: a browser takes the bytes for what the content type says. */
        NoSniff: string;
        /** @description While it stays, so does the prompt. Absent if that is not known without asking the store. */
        PromptTag: string;
        /** @description The request's name in the log: the client's own, or a new one. */
        RequestId: string;
        /** @description After how many seconds the same request may succeed. */
        RetryAfter: number;
        /** @description A browser that shows the bytes runs nothing in them. */
        Sandbox: string;
        /** @description The version of the session that answered. A client may send it back. */
        SessionVersion: string;
        /** @description While it stays, so do the tools. Absent if that is not known without asking the store. */
        ToolsTag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    check_health: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description That the service is there. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["HealthReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answer_claude_hook: {
        parameters: {
            query?: never;
            header: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The user's id. */
                "x-skillmount-user": string;
                /** @description The session's id. */
                "x-skillmount-session": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "session_id": "0f9c61de",
                 *       "hook_event_name": "Stop",
                 *       "stop_hook_active": false
                 *     }
                 */
                "application/json": components["schemas"]["HookInput"];
            };
        };
        responses: {
            /** @description The output of a hook, in the shape of Claude's. It is `{}` if there is nothing to say. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["HookOutput"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_readiness: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description That the service is there. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready"
                     *     }
                     */
                    "application/json": components["schemas"]["HealthReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    show_deletion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deletion of a user: how far it is, and what went. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "u1",
                     *       "state": "deleting",
                     *       "requested_at": "2026-11-23T00:31:02.706029674Z",
                     *       "requested_by": null,
                     *       "second_sweep_at": "2026-11-23T00:32:02.706029674Z",
                     *       "sweeps": [],
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_users: {
        parameters: {
            query?: {
                /** @description Users of one page, 1 to 1,000. */
                limit?: number | undefined;
                /** @description `next_cursor` of the page before. */
                cursor?: string | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of users. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "users": [
                     *         {
                     *           "user_id": "u1"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["UserList"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deletion of a user: how far it is, and what went. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "u1",
                     *       "state": "deleting",
                     *       "requested_at": "2026-11-23T00:31:02.706029674Z",
                     *       "requested_by": null,
                     *       "second_sweep_at": "2026-11-23T00:32:02.706029674Z",
                     *       "sweeps": [],
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_audit_records: {
        parameters: {
            query?: {
                /** @description Only those of this session. */
                session?: string | undefined;
                /** @description Only those of this operation, as `write` or `publish_skill`. */
                operation?: string | undefined;
                /** @description Only operations that ended then or later. */
                since?: string | undefined;
                /** @description Records of one page, 1 to 1,000. A page may have fewer and still name a next one. */
                limit?: number | undefined;
                /** @description `next_cursor` of the page before. */
                cursor?: string | undefined;
                /**
                 * @description Whose records: the user's unless given. `team` and `org` give the changes of shared skills by all users, and need a key that
                 *     may publish there.
                 */
                layer?: components["schemas"]["SkillLayer"] | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of records. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "20260102T030405.000006Z-0a1b2c3d.1",
                     *           "time": "2026-01-02T03:04:05.123456789Z",
                     *           "operation": "edit",
                     *           "call": "5f0c3a9be1d27846",
                     *           "by": "desk (9f86d081884c7d65)",
                     *           "session": "chat-7",
                     *           "subject": "/workspace/draft.md",
                     *           "outcome": "ok",
                     *           "changed": null,
                     *           "ms": 12.5,
                     *           "files": [
                     *             {
                     *               "path": "/workspace/draft.md",
                     *               "before": "3858f62230ac3c915f300c664312c63f",
                     *               "after": "sha256:b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
                     *               "etag": "d3b07384d113edec49eaa6238ad5ff00"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    show_catalog: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the catalog of a user contains, and what the store keeps of it. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skills": 2,
                     *       "errors": 1,
                     *       "warnings": 1,
                     *       "as_of": "2026-11-22T17:47:02.218624384Z",
                     *       "index": null
                     *     }
                     */
                    "application/json": components["schemas"]["CatalogStatus"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rebuild_catalog: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the catalog of a user contains, and what the store keeps of it. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skills": 2,
                     *       "errors": 1,
                     *       "warnings": 1,
                     *       "as_of": "2026-11-22T17:47:02.218624384Z",
                     *       "index": null
                     *     }
                     */
                    "application/json": components["schemas"]["CatalogStatus"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refresh_catalog: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a reading of the catalog found. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skills": 2,
                     *       "changed": 0,
                     *       "removed": 0,
                     *       "as_of": "2026-11-22T17:47:02.218624384Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RefreshReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    diff_versions: {
        parameters: {
            query?: {
                /** @description The digest of the older version; the one before the published one unless given. */
                from?: string | undefined;
                /** @description The digest of the newer version; the published one unless given. */
                to?: string | undefined;
                /** @description Whose skill it is: the user's unless given. The versions of others need a key that may publish there. */
                layer?: components["schemas"]["SkillLayer"] | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What differs between two versions of a skill. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "sha256:3af208add50c257fd0ecadbc1c1dae71718a210d97407433130939e27c0334f3",
                     *       "to": "sha256:e21b0cc350774e2a8c4c907e3e470e7b17cf02e0c760ea5d9c92d07621cb23af",
                     *       "diff": "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1,10 +1,9 @@\n ---\n-name: compraventa\n-description: Redacta una compraventa\n-autor: Ana\n+name: \"compraventa\"\n+description: \"Redacta una compraventa\"\n+license: \"MIT\"\n ---\n+\n # Compraventa\n \n Pasos.\n-\n-## Cláusulas\n",
                     *       "files": [
                     *         {
                     *           "path": "SKILL.md",
                     *           "change": "modified",
                     *           "binary": false,
                     *           "shown": true,
                     *           "size_before": 111,
                     *           "size_after": 105
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "truncated": false,
                     *       "truncation_reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["VersionDiff"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watch_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The id of the last event that the client knows. */
                "Last-Event-ID"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    /** @description `no-cache`, with a stream. */
                    "Cache-Control"?: string | undefined;
                    /** @description `no`, with a stream: a proxy sends events on as they come. */
                    "x-accel-buffering"?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["EventList"];
                    "text/event-stream": string;
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["Disposition"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example u1 */
                    "application/x-tar": string;
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    lint_skills: {
        parameters: {
            query?: {
                /** @description Only this one: its path, or the name of its folder. */
                skill?: string | undefined;
                /** @description Skills of one page at most, 1 to 1,000. */
                limit?: number | undefined;
                /** @description `next_cursor` of the page before. */
                cursor?: string | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of what lint finds in a user's own skills. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skills": [
                     *         {
                     *           "skill": "contratos/arrendamiento",
                     *           "file": "contratos/arrendamiento/SKILL.md",
                     *           "findings": [
                     *             {
                     *               "path": "SKILL.md",
                     *               "severity": "error",
                     *               "code": "name_missing",
                     *               "message": "the skill has no name, so its folder's is used: add `name: arrendamiento`",
                     *               "line": null,
                     *               "column": null
                     *             }
                     *           ],
                     *           "fixable": 0,
                     *           "quality": {
                     *             "score": 5,
                     *             "mcp": true,
                     *             "reasons": [
                     *               {
                     *                 "code": "errors",
                     *                 "points": 40,
                     *                 "security": false,
                     *                 "message": "it cannot be published as it is: the skill has no name, so its folder's is used: add `name: arrendamiento`"
                     *               },
                     *               {
                     *                 "code": "description_without_when",
                     *                 "points": 20,
                     *                 "security": false,
                     *                 "message": "the description does not say when to use the skill: add \"Use when …\" with the words people use"
                     *               },
                     *               {
                     *                 "code": "description_short",
                     *                 "points": 15,
                     *                 "security": false,
                     *                 "message": "the description has 10 characters: say what the skill does and when to use it, since agents choose by it alone"
                     *               },
                     *               {
                     *                 "code": "body_short",
                     *                 "points": 10,
                     *                 "security": false,
                     *                 "message": "the body has 3 characters: say how to do the work step by step"
                     *               },
                     *               {
                     *                 "code": "without_examples",
                     *                 "points": 10,
                     *                 "security": false,
                     *                 "message": "there is no example: show what comes in and what is to come out"
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "is_cut": false
                     *     }
                     */
                    "application/json": components["schemas"]["LintList"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    show_user_policy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy of a user. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skills_access": "write",
                     *       "visibility": "loaded",
                     *       "catalog_reads": true,
                     *       "plan_mode": false,
                     *       "prompt_mode": "two_state",
                     *       "load_tool": "load_skill",
                     *       "tools": {
                     *         "*": "auto",
                     *         "create_skill": "auto"
                     *       },
                     *       "skills": {
                     *         "*": "auto_approve"
                     *       },
                     *       "preload": []
                     *     }
                     */
                    "application/json": components["schemas"]["UserPolicy"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_user_policy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "skills_access": "write",
                 *       "visibility": "loaded",
                 *       "catalog_reads": true,
                 *       "plan_mode": false,
                 *       "prompt_mode": "two_state",
                 *       "load_tool": "load_skill",
                 *       "tools": {
                 *         "*": "auto",
                 *         "create_skill": "auto"
                 *       },
                 *       "skills": {
                 *         "*": "auto_approve"
                 *       },
                 *       "preload": [],
                 *       "children": {
                 *         "load": true,
                 *         "create": false,
                 *         "publish": false
                 *       },
                 *       "agents": {},
                 *       "approve_by": null
                 *     }
                 */
                "application/json": components["schemas"]["Policy"];
            };
        };
        responses: {
            /** @description The policy of a user. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skills_access": "write",
                     *       "visibility": "loaded",
                     *       "catalog_reads": true,
                     *       "plan_mode": false,
                     *       "prompt_mode": "two_state",
                     *       "load_tool": "load_skill",
                     *       "tools": {
                     *         "*": "auto",
                     *         "create_skill": "auto"
                     *       },
                     *       "skills": {
                     *         "*": "auto_approve"
                     *       },
                     *       "preload": []
                     *     }
                     */
                    "application/json": components["schemas"]["UserPolicy"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roll_back_skill: {
        parameters: {
            query?: {
                /**
                 * @description Whose skill it is: `user` unless given, or `team`, with a control key of the team, or `org`, with a control key of all
                 *     users.
                 */
                layer?: components["schemas"]["SkillLayer"] | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description Go back only if the skill has the version of this digest now; else `version_conflict`. */
                "If-Match"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "digest": "sha256:e21b0cc350774e2a8c4c907e3e470e7b17cf02e0c760ea5d9c92d07621cb23af"
                 *     }
                 */
                "application/json": components["schemas"]["RollbackRequest"];
            };
        };
        responses: {
            /** @description Published again. */
            200: {
                headers: {
                    /** @description The digest of the published version. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishReply"];
                };
            };
            /** @description Published again after it was deleted. */
            201: {
                headers: {
                    /** @description The digest of the published version. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "created",
                     *       "skill": "escrituras/compraventa",
                     *       "digest": "sha256:e21b0cc350774e2a8c4c907e3e470e7b17cf02e0c760ea5d9c92d07621cb23af",
                     *       "state": "published",
                     *       "complete": true,
                     *       "kept": [],
                     *       "lint": [],
                     *       "quality": {
                     *         "score": 55,
                     *         "mcp": true,
                     *         "reasons": [
                     *           {
                     *             "code": "description_without_when",
                     *             "points": 20,
                     *             "security": false,
                     *             "message": "the description does not say when to use the skill: add \"Use when …\" with the words people use"
                     *           },
                     *           {
                     *             "code": "description_short",
                     *             "points": 15,
                     *             "security": false,
                     *             "message": "the description has 23 characters: say what the skill does and when to use it, since agents choose by it alone"
                     *           },
                     *           {
                     *             "code": "body_short",
                     *             "points": 10,
                     *             "security": false,
                     *             "message": "the body has 21 characters: say how to do the work step by step"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PublishReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    collect_sessions: {
        parameters: {
            query?: {
                /** @description Give the other sessions the tag of the bucket's lifecycle rule. Sessions of this version have it already. */
                tag?: boolean | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of removing a user's idle sessions. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "removed": 0,
                     *       "damaged": []
                     *     }
                     */
                    "application/json": components["schemas"]["SessionGcReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: {
                /** @description Sessions of one page, 1 to 1,000; a page of large ones ends sooner. */
                limit?: number | undefined;
                /** @description `next_cursor` of the page before. */
                cursor?: string | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of sessions. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "session_id": "chat-7",
                     *           "user_id": "u1",
                     *           "vars": {
                     *             "ticket_id": "t-42"
                     *           },
                     *           "policy": {
                     *             "skills_access": "read",
                     *             "visibility": "loaded",
                     *             "catalog_reads": true,
                     *             "plan_mode": false,
                     *             "prompt_mode": "two_state",
                     *             "load_tool": "load_skill",
                     *             "tools": {
                     *               "*": "auto"
                     *             },
                     *             "skills": {
                     *               "*": "auto_approve"
                     *             },
                     *             "preload": []
                     *           },
                     *           "parent": null,
                     *           "workspace_of": null,
                     *           "current_skill": null,
                     *           "version": 1,
                     *           "created_at": "2026-11-22T17:47:02.185230049Z",
                     *           "updated_at": "2026-11-22T17:47:02.185230049Z",
                     *           "expires_at": "2026-12-22T17:47:02.185230049Z",
                     *           "loaded_skills": []
                     *         }
                     *       ],
                     *       "damaged": [],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    show_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One agent conversation, without its snapshots, discoveries and ranks. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session_id": "chat-7",
                     *       "user_id": "u1",
                     *       "vars": {
                     *         "ticket_id": "t-42"
                     *       },
                     *       "policy": {
                     *         "skills_access": "read",
                     *         "visibility": "loaded",
                     *         "catalog_reads": true,
                     *         "plan_mode": false,
                     *         "prompt_mode": "two_state",
                     *         "load_tool": "load_skill",
                     *         "tools": {
                     *           "*": "auto"
                     *         },
                     *         "skills": {
                     *           "*": "auto_approve"
                     *         },
                     *         "preload": []
                     *       },
                     *       "parent": null,
                     *       "workspace_of": null,
                     *       "current_skill": null,
                     *       "version": 1,
                     *       "created_at": "2026-11-22T17:47:02.185230049Z",
                     *       "updated_at": "2026-11-22T17:47:02.185230049Z",
                     *       "expires_at": "2026-12-22T17:47:02.185230049Z",
                     *       "loaded_skills": []
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "vars": {
                 *         "ticket_id": "t-42"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateSessionRequest"] | null;
            };
        } | undefined;
        responses: {
            /** @description It existed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session_id": "chat-7",
                     *       "user_id": "u1",
                     *       "vars": {
                     *         "ticket_id": "t-42"
                     *       },
                     *       "policy": {
                     *         "skills_access": "read",
                     *         "visibility": "loaded",
                     *         "catalog_reads": true,
                     *         "plan_mode": false,
                     *         "prompt_mode": "two_state",
                     *         "load_tool": "load_skill",
                     *         "tools": {
                     *           "*": "auto"
                     *         },
                     *         "skills": {
                     *           "*": "auto_approve"
                     *         },
                     *         "preload": []
                     *       },
                     *       "parent": null,
                     *       "workspace_of": null,
                     *       "current_skill": null,
                     *       "version": 1,
                     *       "created_at": "2026-11-22T17:47:02.185230049Z",
                     *       "updated_at": "2026-11-22T17:47:02.185230049Z",
                     *       "expires_at": "2026-12-22T17:47:02.185230049Z",
                     *       "loaded_skills": []
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    forget_session: {
        parameters: {
            query?: {
                /** @description `delete`: the files of its workspace are deleted with it. They stay otherwise. */
                workspace?: "delete" | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Forgotten. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "vars": {
                 *         "ticket_id": "t-43"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ChangeSessionRequest"];
            };
        };
        responses: {
            /** @description One agent conversation, without its snapshots, discoveries and ranks. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session_id": "chat-7",
                     *       "user_id": "u1",
                     *       "vars": {
                     *         "ticket_id": "t-43"
                     *       },
                     *       "policy": {
                     *         "skills_access": "read",
                     *         "visibility": "loaded",
                     *         "catalog_reads": true,
                     *         "plan_mode": false,
                     *         "prompt_mode": "two_state",
                     *         "load_tool": "load_skill",
                     *         "tools": {
                     *           "*": "auto"
                     *         },
                     *         "skills": {
                     *           "*": "auto_approve"
                     *         },
                     *         "preload": []
                     *       },
                     *       "parent": null,
                     *       "workspace_of": null,
                     *       "current_skill": null,
                     *       "version": 2,
                     *       "created_at": "2026-11-22T17:47:02.185230049Z",
                     *       "updated_at": "2026-11-22T17:47:02.197935385Z",
                     *       "expires_at": "2026-12-22T17:47:02.197935385Z",
                     *       "loaded_skills": []
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_approvals: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The calls of a session that wait for a decision. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approvals": [
                     *         {
                     *           "approval_id": "5f0c2b7d9e3a41c6b8d7e0f1a2b3c4d5",
                     *           "tool": "move",
                     *           "input": {
                     *             "from": "/workspace/notes.md",
                     *             "to": "/workspace/old/notes.md"
                     *           },
                     *           "input_cut": false,
                     *           "expires_at": "2026-11-22T17:52:02.185230049Z",
                     *           "seconds_left": 299
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    decide_approval: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
                /**
                 * @description The id of a call that waits, as the refusal of the call and the list have it.
                 * @example 5f0c2b7d9e3a41c6b8d7e0f1a2b3c4d5
                 */
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "allow",
                 *       "remember": false
                 *     }
                 */
                "application/json": components["schemas"]["DecideApprovalRequest"];
            };
        };
        responses: {
            /** @description One agent conversation, without its snapshots, discoveries and ranks. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session_id": "chat-7",
                     *       "user_id": "u1",
                     *       "vars": {
                     *         "ticket_id": "t-43"
                     *       },
                     *       "policy": {
                     *         "skills_access": "read",
                     *         "visibility": "loaded",
                     *         "catalog_reads": true,
                     *         "plan_mode": false,
                     *         "prompt_mode": "two_state",
                     *         "load_tool": "load_skill",
                     *         "tools": {
                     *           "*": "auto",
                     *           "move": "ask"
                     *         },
                     *         "skills": {
                     *           "*": "auto_approve"
                     *         },
                     *         "preload": []
                     *       },
                     *       "parent": null,
                     *       "workspace_of": null,
                     *       "current_skill": null,
                     *       "version": 9,
                     *       "created_at": "2026-11-22T17:47:02.185230049Z",
                     *       "updated_at": "2026-11-22T17:47:02.197935385Z",
                     *       "expires_at": "2026-12-22T17:47:02.197935385Z",
                     *       "loaded_skills": []
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_skill: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "escrituras/poder",
                 *       "description": "Redacta un poder. Para cuando alguien autoriza a otro a actuar por él.",
                 *       "body": "Pregunta quién da el poder, a quién y para qué, y redacta con eso el documento.",
                 *       "template": "writing"
                 *     }
                 */
                "application/json": components["schemas"]["CreateSkillRequest"];
            };
        };
        responses: {
            /** @description A skill that was written. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skill": "escrituras/poder",
                     *       "digest": "sha256:e21b0cc350774e2a8c4c907e3e470e7b17cf02e0c760ea5d9c92d07621cb23af",
                     *       "state": "draft",
                     *       "lint": []
                     *     }
                     */
                    "application/json": components["schemas"]["CreateSkillReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_path: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "path": "/workspace/final"
                 *     }
                 */
                "application/json": components["schemas"]["DeleteRequest"];
            };
        };
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/final",
                     *       "deleted": 1
                     *     }
                     */
                    "application/json": components["schemas"]["DeleteReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    discover_skills: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "redactar una compraventa"
                 *     }
                 */
                "application/json": components["schemas"]["DiscoverRequest"];
            };
        };
        responses: {
            /** @description The skills that answer a question, best first. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skills": [
                     *         {
                     *           "skill": "escrituras/compraventa",
                     *           "name": "compraventa",
                     *           "description": "Redacta una compraventa",
                     *           "category": "escrituras",
                     *           "layer": "user",
                     *           "score": 0.593,
                     *           "confidence": "high"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "ranking": "lexical",
                     *       "message": "Found 1 skill(s). Call load_skill to use one."
                     *     }
                     */
                    "application/json": components["schemas"]["DiscoverReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    download_files: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "paths": [
                 *         "/workspace/notes.md",
                 *         "/workspace/none.md"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DownloadRequest"];
            };
        };
        responses: {
            /** @description The files, in order. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         {
                     *           "path": "/workspace/notes.md",
                     *           "etag": "18ea6f28d92e247c-9",
                     *           "content": "T25lIG5vdGUK"
                     *         },
                     *         {
                     *           "path": "/workspace/none.md",
                     *           "error": "file_not_found",
                     *           "detail": "File not found: /workspace/none.md. List the folder with ls to see what is there; files live below /workspace and /ticket."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DownloadReply"];
                    "multipart/mixed": string;
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    edit_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file_path": "/workspace/acta.md",
                 *       "old_string": "Borrador",
                 *       "new_string": "Definitiva"
                 *     }
                 */
                "application/json": components["schemas"]["EditRequest"];
            };
        };
        responses: {
            /** @description A file that was edited. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/acta.md",
                     *       "occurrences": 1,
                     *       "etag": "18ea6f28d6a0e972-13"
                     *     }
                     */
                    "application/json": components["schemas"]["EditReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watch_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id of the last event that the client knows. */
                "Last-Event-ID"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    /** @description `no-cache`, with a stream. */
                    "Cache-Control"?: string | undefined;
                    /** @description `no`, with a stream: a proxy sends events on as they come. */
                    "x-accel-buffering"?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["EventList"];
                    "text/event-stream": string;
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
                /** @description Only this version. */
                "If-Match"?: string | undefined;
                /** @description Only if the newest version is none of these. */
                "If-None-Match"?: string | undefined;
                /** @description One range of bytes, such as `bytes=0-99`. */
                Range?: string | undefined;
                /** @description The range counts only for this version; of another the whole file is the reply. */
                "If-Range"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
                /**
                 * @description The virtual path without its first slash. Further slashes may be written as they are or as `%2F`.
                 * @example workspace/draft.md
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["Disposition"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    /** @description The file's version. */
                    ETag?: string | undefined;
                    "Last-Modified": components["headers"]["LastModified"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example Draft of the deed */
                    "application/octet-stream": string;
                };
            };
            /** @description The bytes asked for in `range`. */
            206: {
                headers: {
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["Disposition"];
                    /** @description Which bytes of how many. */
                    "Content-Range"?: string | undefined;
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    /** @description The file's version. */
                    ETag?: string | undefined;
                    "Last-Modified": components["headers"]["LastModified"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The version in `if-none-match` is still the newest. */
            304: {
                headers: {
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["Disposition"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    /** @description The file's version. */
                    ETag?: string | undefined;
                    "Last-Modified": components["headers"]["LastModified"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The version in `if-match` is not the newest. */
            412: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The file ends before `range`. */
            416: {
                headers: {
                    /** @description How many bytes the file has. */
                    "Content-Range"?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
                /** @description Replace only this version. */
                "If-Match"?: string | undefined;
                /** @description `*`: only make a new file. */
                "If-None-Match"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
                /**
                 * @description The virtual path without its first slash. Further slashes may be written as they are or as `%2F`.
                 * @example workspace/draft.md
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example Draft of the deed */
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Written. */
            200: {
                headers: {
                    /** @description The file's new version. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/draft.md",
                     *       "etag": "18ea6f28d87f544b-12",
                     *       "bytes": 18,
                     *       "created": false
                     *     }
                     */
                    "application/json": components["schemas"]["WriteReply"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    /** @description The file's version. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WriteReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The condition does not hold; nothing was written. */
            412: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
                /** @description Delete only this version. */
                "If-Match"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
                /**
                 * @description The virtual path without its first slash. Further slashes may be written as they are or as `%2F`.
                 * @example workspace/draft.md
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The version in `if-match` is not the newest; nothing was deleted. */
            412: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    head_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
                /** @description Only this version. */
                "If-Match"?: string | undefined;
                /** @description Only if the newest version is none of these. */
                "If-None-Match"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
                /**
                 * @description The virtual path without its first slash. Further slashes may be written as they are or as `%2F`.
                 * @example workspace/draft.md
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file's size, version and time are in the headers. */
            200: {
                headers: {
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["Disposition"];
                    /** @description The file's size in bytes. */
                    "Content-Length"?: number | undefined;
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    /** @description The file's version. */
                    ETag?: string | undefined;
                    "Last-Modified": components["headers"]["LastModified"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The version in `if-none-match` is still the newest. */
            304: {
                headers: {
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["Disposition"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    /** @description The file's version. */
                    ETag?: string | undefined;
                    "Last-Modified": components["headers"]["LastModified"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The version in `if-match` is not the newest. */
            412: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    find_files: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "pattern": "*.md"
                 *     }
                 */
                "application/json": components["schemas"]["GlobRequest"];
            };
        };
        responses: {
            /** @description Files in byte order of their paths. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "matches": [
                     *         {
                     *           "path": "/skills/compraventa/SKILL.md",
                     *           "size": 111,
                     *           "modified_at": "2026-11-22T17:39:07.2381378Z"
                     *         },
                     *         {
                     *           "path": "/skills/compraventa/resources/ejemplo.md",
                     *           "size": 11,
                     *           "modified_at": "2026-11-22T17:39:07.2381378Z"
                     *         },
                     *         {
                     *           "path": "/workspace/acta.md",
                     *           "size": 19,
                     *           "modified_at": "2026-11-22T17:47:02.65080869Z"
                     *         }
                     *       ],
                     *       "truncated": false,
                     *       "truncation_reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["GlobReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    search_files: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "pattern": "Defin\\w+",
                 *       "path": "/workspace"
                 *     }
                 */
                "application/json": components["schemas"]["GrepRequest"];
            };
        };
        responses: {
            /** @description What a grep found, in one of three forms. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "matches": [
                     *         {
                     *           "path": "/workspace/acta.md",
                     *           "line": 3,
                     *           "text": "Definitiva",
                     *           "before": [],
                     *           "after": []
                     *         }
                     *       ],
                     *       "truncated": false,
                     *       "truncation_reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["GrepReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answer_hook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "session_id": "0f9c61de",
                 *       "hook_event_name": "PreToolUse",
                 *       "tool_name": "Task",
                 *       "tool_input": {
                 *         "subagent_type": "notary",
                 *         "description": "Prepare the deed",
                 *         "prompt": "Prepara la compraventa del piso."
                 *       },
                 *       "tool_use_id": "toolu_1"
                 *     }
                 */
                "application/json": components["schemas"]["HookInput"];
            };
        };
        responses: {
            /** @description The output of a hook, in the shape of Claude's. It is `{}` if there is nothing to say. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hookSpecificOutput": {
                     *         "hookEventName": "PreToolUse",
                     *         "additionalContext": "The sub-agent does not see your prompt. These skills may be of use to it; name the needed ones in what you tell it. They are not loaded: if a description fits the task, call load_skill with the location.\n\n- escrituras/compraventa, words: compraventa: Redacta una compraventa"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["HookOutput"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    load_skill: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "skill": "escrituras/compraventa"
                 *     }
                 */
                "application/json": components["schemas"]["LoadSkillRequest"];
            };
        };
        responses: {
            /** @description A skill that is loaded now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "loaded",
                     *       "skill": "escrituras/compraventa",
                     *       "mount": "/skills/compraventa",
                     *       "name": "compraventa",
                     *       "description": "Redacta una compraventa",
                     *       "digest": "sha256:3c47e186686118ed7c78a4132481ddc730b04c279bfe51b6842a6c7f392e2bc1",
                     *       "files": [
                     *         {
                     *           "path": "/skills/compraventa/SKILL.md",
                     *           "size": 111
                     *         },
                     *         {
                     *           "path": "/skills/compraventa/resources/ejemplo.md",
                     *           "size": 11
                     *         }
                     *       ],
                     *       "body": "# Compraventa\n\nPasos.\n\n## Cláusulas\n",
                     *       "parameters": []
                     *     }
                     */
                    "application/json": components["schemas"]["LoadSkillReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_folder: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "path": "/skills/compraventa"
                 *     }
                 */
                "application/json": components["schemas"]["LsRequest"];
            };
        };
        responses: {
            /** @description A folder's entries in byte order; the root's in mount order. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "entries": [
                     *         {
                     *           "path": "/skills/compraventa/SKILL.md",
                     *           "is_dir": false,
                     *           "size": 111,
                     *           "modified_at": "2026-11-22T17:39:07.2381378Z"
                     *         },
                     *         {
                     *           "path": "/skills/compraventa/resources",
                     *           "is_dir": true,
                     *           "size": 0,
                     *           "modified_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LsReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    send_message: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "/compraventa Ana y Luis"
                 *     }
                 */
                "application/json": components["schemas"]["MessageRequest"];
            };
        };
        responses: {
            /** @description What became of a message. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command": {
                     *         "skill": "escrituras/compraventa",
                     *         "arguments": "Ana y Luis"
                     *       },
                     *       "text": "<command-name>/compraventa</command-name>\n<command-args>Ana y Luis</command-args>\nAlready loaded: skill compraventa (escrituras/compraventa). Its files are in /skills/compraventa:\n- SKILL.md\n- resources/ejemplo.md\nIts instructions are in the system prompt now, for as long as no other skill is loaded.",
                     *       "loaded": {
                     *         "skill": "escrituras/compraventa",
                     *         "layer": "user",
                     *         "mount": "/skills/compraventa",
                     *         "name": "compraventa",
                     *         "description": "Redacta una compraventa",
                     *         "digest": "sha256:3c47e186686118ed7c78a4132481ddc730b04c279bfe51b6842a6c7f392e2bc1",
                     *         "loaded_at": "2026-11-22T17:47:02.706029674Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MessageReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    move_path: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "/workspace/acta.md",
                 *       "to": "/workspace/final/acta.md"
                 *     }
                 */
                "application/json": components["schemas"]["MoveRequest"];
            };
        };
        responses: {
            /** @description What was moved. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "/workspace/acta.md",
                     *       "to": "/workspace/final/acta.md",
                     *       "moved": 1
                     *     }
                     */
                    "application/json": components["schemas"]["MoveReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    render_prompt: {
        parameters: {
            query?: {
                /** @description What the prompt holds; the policy's `prompt_mode` if absent. */
                mode?: components["schemas"]["PromptMode"] | undefined;
                /** @description How the listing is written. */
                format?: components["schemas"]["PromptFormat"] | undefined;
                /** @description Only skills in this category or below it. */
                category?: string | undefined;
                /**
                 * @description Tokens at most, 2,000 if absent: of the listing and the sentences around it, which are never cut, whatever the budget.
                 *     The instructions of a loaded skill come on top.
                 */
                max_tokens?: number | undefined;
                /** @description Say of each skill why it is in the prompt, shortened, or not in it. */
                explain?: boolean | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The `ETag` of a prompt that the client has. */
                "If-None-Match"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A prompt and what is known of it. */
            200: {
                headers: {
                    /** @description `private, no-cache`. */
                    "Cache-Control"?: string | undefined;
                    /** @description The tag of these very bytes. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "prompt": "Skills hold instructions for particular tasks. When a request matches one of these, call load_skill with its location before you answer; never mention a skill without loading it. If it is already loaded, follow it. Ask the user for parameters it needs and does not have.\n\n<available_skills>\n<category name=\"contratos\">\n<skill name=\"arrendamiento\" location=\"contratos/arrendamiento\">Alquileres</skill>\n</category>\n<category name=\"escrituras\">\n<skill name=\"compraventa\" location=\"escrituras/compraventa\">Redacta una compraventa</skill>\n</category>\n</available_skills>",
                     *       "mode": "two_state",
                     *       "format": "xml",
                     *       "tokens": 135,
                     *       "tokenizer": "o200k_base",
                     *       "shown": 2,
                     *       "total": 2
                     *     }
                     */
                    "application/json": components["schemas"]["PromptReply"];
                    "text/plain": string;
                };
            };
            /** @description The prompt is still the one of `if-none-match`. */
            304: {
                headers: {
                    /** @description `private, no-cache`. */
                    "Cache-Control"?: string | undefined;
                    /** @description The tag of these very bytes. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file_path": "/workspace/acta.md"
                 *     }
                 */
                "application/json": components["schemas"]["ReadRequest"];
            };
        };
        responses: {
            /** @description A window of a text file. The window fields are null where the file is blank or no lines were asked for. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content": "# Acta\n\nBorrador\n",
                     *       "start_line": 1,
                     *       "end_line": 3,
                     *       "next_offset": null,
                     *       "total_lines": 3,
                     *       "size": 17,
                     *       "etag": "18ea6f28d6218cb3-11",
                     *       "modified_at": "2026-11-22T17:47:02.644770513Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ReadReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    run_tool_calls: {
        parameters: {
            query?: {
                /** @description The shape of the calls, if the body does not say it. */
                format?: ("anthropic" | "openai") | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description Whether results of failed calls have `code`, and `approval_id` if they wait for a person. APIs of models reject both. */
                "x-skillmount-result-details"?: boolean | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": [
                 *         {
                 *           "type": "tool_use",
                 *           "id": "call-1",
                 *           "name": "read",
                 *           "input": {
                 *             "file_path": "/workspace/notes.md"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ToolCallsRequest"];
            };
        };
        responses: {
            /** @description The results of the calls, in the shape of the calls. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": "user",
                     *       "content": [
                     *         {
                     *           "type": "tool_result",
                     *           "tool_use_id": "call-1",
                     *           "content": "     1\tOne note"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TurnReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_tools: {
        parameters: {
            query?: {
                /** @description The family of models they are for. */
                format?: ("anthropic" | "openai" | "mcp") | undefined;
                /** @description The mode the prompt is asked for in, if it is not the policy's. */
                mode?: components["schemas"]["PromptMode"] | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tools a session may use now. */
            200: {
                headers: {
                    /** @description `private, no-cache`. */
                    "Cache-Control"?: string | undefined;
                    /** @description It stays while the tools do. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tools": [
                     *         {
                     *           "name": "discover_skills",
                     *           "description": "Search all skills. Finding one does not load it. Before you answer a request that a skill may match, call discover_skills with what the request is about.",
                     *           "input_schema": {
                     *             "type": "object",
                     *             "properties": {
                     *               "query": {
                     *                 "type": "string",
                     *                 "description": "What the task is about: a few words, a sentence or a message of up to 16 KiB and 2,500 words."
                     *               },
                     *               "category": {
                     *                 "type": "string",
                     *                 "description": "Only this category and those below it."
                     *               },
                     *               "level": {
                     *                 "type": "string",
                     *                 "description": "Only this level, in whatever case."
                     *               },
                     *               "limit": {
                     *                 "type": "integer",
                     *                 "description": "10 by default.",
                     *                 "maximum": 100,
                     *                 "minimum": 1
                     *               }
                     *             },
                     *             "required": [
                     *               "query"
                     *             ],
                     *             "additionalProperties": false
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            /** @description The tools are still those of `if-none-match`. */
            304: {
                headers: {
                    /** @description `private, no-cache`. */
                    "Cache-Control"?: string | undefined;
                    /** @description It stays while the tools do. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unload_skill: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "skill": "compraventa"
                 *     }
                 */
                "application/json": components["schemas"]["UnloadSkillRequest"];
            };
        };
        responses: {
            /** @description What became of it. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "unloaded",
                     *       "skill": "escrituras/compraventa"
                     *     }
                     */
                    "application/json": components["schemas"]["UnloadSkillReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upload_files: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "/workspace/notes.md": "One note\n"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["UploadRequest"];
            };
        };
        responses: {
            /** @description What became of the files of an upload. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         {
                     *           "path": "/workspace/notes.md",
                     *           "etag": "18ea6f28d92e247c-9"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UploadReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    write_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description The session version that a reply gave. The answer is then from no older session. */
                "x-skillmount-session-version"?: components["parameters"]["SessionVersion"] | undefined;
                /** @description The id that the model gave to the call. The event and the audit record have it. Without it they have a new one. */
                "x-skillmount-call-id"?: components["parameters"]["CallId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The session's id; any id names a session, which begins with its first change.
                 * @example chat-7
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file_path": "/workspace/acta.md",
                 *       "content": "# Acta\n\nBorrador\n"
                 *     }
                 */
                "application/json": components["schemas"]["WriteRequest"];
            };
        };
        responses: {
            /** @description A file that was written. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-skillmount-prompt-tag": components["headers"]["PromptTag"];
                    "x-skillmount-session-version": components["headers"]["SessionVersion"];
                    "x-skillmount-tools-tag": components["headers"]["ToolsTag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/acta.md",
                     *       "etag": "18ea6f28d6218cb3-11",
                     *       "bytes": 17,
                     *       "created": true
                     *     }
                     */
                    "application/json": components["schemas"]["WriteReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_skill_file: {
        parameters: {
            query?: {
                /** @description Its path below the skill's folder; `SKILL.md` unless given. */
                path?: string | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description Only this version. */
                "If-Match"?: string | undefined;
                /** @description Only if the newest version is none of these. */
                "If-None-Match"?: string | undefined;
                /** @description One range of bytes, such as `bytes=0-99`. */
                Range?: string | undefined;
                /** @description The range counts only for this version; of another the whole file is the reply. */
                "If-Range"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["Disposition"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    /** @description The file's version. */
                    ETag?: string | undefined;
                    "Last-Modified": components["headers"]["LastModified"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example ---
                     *     name: compraventa
                     *     description: Redacta una compraventa
                     *     autor: Ana
                     *     ---
                     *     # Compraventa
                     *
                     *     Pasos.
                     *
                     *     ## Cláusulas
                     */
                    "application/octet-stream": string;
                };
            };
            /** @description The bytes asked for in `range`. */
            206: {
                headers: {
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["Disposition"];
                    /** @description Which bytes of how many. */
                    "Content-Range"?: string | undefined;
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    /** @description The file's version. */
                    ETag?: string | undefined;
                    "Last-Modified": components["headers"]["LastModified"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The version in `if-none-match` is still the newest. */
            304: {
                headers: {
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["Disposition"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    /** @description The file's version. */
                    ETag?: string | undefined;
                    "Last-Modified": components["headers"]["LastModified"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The version in `if-match` is not the newest. */
            412: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The file ends before `range`. */
            416: {
                headers: {
                    /** @description How many bytes the file has. */
                    "Content-Range"?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_skills: {
        parameters: {
            query?: {
                /** @description Only skills in this category or below it. */
                category?: string | undefined;
                /** @description Ask the store again, whatever is known. */
                fresh?: boolean | undefined;
                /** @description Skills of one page at most, 1 to 1,000. */
                limit?: number | undefined;
                /** @description `next_cursor` of the page before. */
                cursor?: string | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of skills. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skills": [
                     *         {
                     *           "skill": "contratos/arrendamiento",
                     *           "name": "arrendamiento",
                     *           "description": "Alquileres",
                     *           "category": "contratos",
                     *           "layer": "user",
                     *           "frontmatter": {
                     *             "description": "Alquileres"
                     *           },
                     *           "files": 1,
                     *           "size": 36,
                     *           "updated_at": "2026-11-22T17:39:07.2381378Z",
                     *           "state": "unmanaged",
                     *           "digest": null,
                     *           "shadows": []
                     *         },
                     *         {
                     *           "skill": "escrituras/compraventa",
                     *           "name": "compraventa",
                     *           "description": "Redacta una compraventa",
                     *           "category": "escrituras",
                     *           "layer": "user",
                     *           "frontmatter": {
                     *             "name": "compraventa",
                     *             "description": "Redacta una compraventa",
                     *             "autor": "Ana"
                     *           },
                     *           "files": 2,
                     *           "size": 122,
                     *           "updated_at": "2026-11-22T17:39:07.2381378Z",
                     *           "state": "unmanaged",
                     *           "digest": null,
                     *           "shadows": []
                     *         }
                     *       ],
                     *       "diagnostics": [
                     *         {
                     *           "skill": "contratos/arrendamiento",
                     *           "severity": "warning",
                     *           "code": "name_missing",
                     *           "message": "the skill has no name, so its folder's is used: add `name: arrendamiento`",
                     *           "line": null,
                     *           "column": null
                     *         },
                     *         {
                     *           "skill": "roto",
                     *           "severity": "error",
                     *           "code": "frontmatter_missing",
                     *           "message": "SKILL.md has no frontmatter: begin it with a `---` line, `name:` and `description:`, and a `---` line",
                     *           "line": 1,
                     *           "column": 1
                     *         }
                     *       ],
                     *       "total": 2,
                     *       "total_diagnostics": 2,
                     *       "as_of": "2026-11-22T17:47:02.205040305Z",
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SkillList"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    download_skills: {
        parameters: {
            query?: never;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "skills": [
                 *         {
                 *           "skill": "escrituras/compraventa",
                 *           "paths": [
                 *             "resources/ejemplo.md"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DownloadSkillsRequest"];
            };
        };
        responses: {
            /** @description The files, in order. */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["Disposition"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         {
                     *           "path": "escrituras/compraventa/resources/ejemplo.md",
                     *           "etag": "18ea6f28d92e247c-9",
                     *           "content": "dW4gZWplbXBsbwo="
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DownloadReply"];
                    "multipart/mixed": string;
                    "application/zip": string;
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    show_skill: {
        parameters: {
            query?: {
                /** @description The digest of a version; the skill as it is now unless given. */
                digest?: string | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The skill. */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["Disposition"];
                    /** @description The digest of the version, of an archive of one. */
                    ETag?: string | undefined;
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skill": "escrituras/compraventa",
                     *       "name": "compraventa",
                     *       "description": "Redacta una compraventa",
                     *       "category": "escrituras",
                     *       "layer": "user",
                     *       "frontmatter": {
                     *         "name": "compraventa",
                     *         "description": "Redacta una compraventa",
                     *         "autor": "Ana"
                     *       },
                     *       "files": 2,
                     *       "size": 122,
                     *       "updated_at": "2026-11-22T17:39:07.2381378Z",
                     *       "state": "unmanaged",
                     *       "digest": null,
                     *       "shadows": [],
                     *       "body": "# Compraventa\n\nPasos.\n\n## Cláusulas\n",
                     *       "outline": [
                     *         {
                     *           "level": 1,
                     *           "text": "Compraventa",
                     *           "start": 0,
                     *           "end": 37
                     *         },
                     *         {
                     *           "level": 2,
                     *           "text": "Cláusulas",
                     *           "start": 23,
                     *           "end": 37
                     *         }
                     *       ],
                     *       "outline_truncated": false,
                     *       "file_list": [
                     *         {
                     *           "path": "SKILL.md",
                     *           "size": 111
                     *         },
                     *         {
                     *           "path": "resources/ejemplo.md",
                     *           "size": 11
                     *         }
                     *       ],
                     *       "diagnostics": []
                     *     }
                     */
                    "application/json": components["schemas"]["SkillPage"];
                    "application/zip": string;
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publish_skill: {
        parameters: {
            query?: {
                /** @description `draft` keeps it as a draft, which agents do not find; `published` unless given. */
                state?: ("published" | "draft") | undefined;
                /** @description Where it comes from, in any words: a commit, a ticket. The version keeps it; 1 KiB at most. */
                source?: string | undefined;
                /**
                 * @description Whose skill it is: `user` unless given, or `team`, with a control key of the team, or `org`, with a control key of all
                 *     users.
                 */
                layer?: components["schemas"]["SkillLayer"] | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description Publish only if the skill has the version of this digest now; else `version_conflict`. */
                "If-Match"?: string | undefined;
                /** @description `*`: publish only if there is no such skill; else `version_conflict`. */
                "If-None-Match"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Redacta una compraventa",
                 *       "body": "# Compraventa\n\nPasos.\n",
                 *       "files": {
                 *         "resources/ejemplo.md": "un ejemplo\n"
                 *       },
                 *       "frontmatter": {
                 *         "license": "MIT"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PublishRequest"];
                "application/zip": string;
                "multipart/form-data": components["schemas"]["PublishFilesRequest"];
            };
        };
        responses: {
            /** @description Published in the place of another version, or unchanged. */
            200: {
                headers: {
                    /** @description The digest of the published version. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "updated",
                     *       "skill": "escrituras/compraventa",
                     *       "digest": "sha256:e21b0cc350774e2a8c4c907e3e470e7b17cf02e0c760ea5d9c92d07621cb23af",
                     *       "state": "published",
                     *       "complete": true,
                     *       "kept": [],
                     *       "lint": [],
                     *       "quality": {
                     *         "score": 55,
                     *         "mcp": true,
                     *         "reasons": [
                     *           {
                     *             "code": "description_without_when",
                     *             "points": 20,
                     *             "security": false,
                     *             "message": "the description does not say when to use the skill: add \"Use when …\" with the words people use"
                     *           },
                     *           {
                     *             "code": "description_short",
                     *             "points": 15,
                     *             "security": false,
                     *             "message": "the description has 23 characters: say what the skill does and when to use it, since agents choose by it alone"
                     *           },
                     *           {
                     *             "code": "body_short",
                     *             "points": 10,
                     *             "security": false,
                     *             "message": "the body has 21 characters: say how to do the work step by step"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PublishReply"];
                };
            };
            /** @description Published for the first time. */
            201: {
                headers: {
                    /** @description The digest of the published version. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_skill: {
        parameters: {
            query?: {
                /**
                 * @description Whose skill it is: `user` unless given, or `team`, with a control key of the team, or `org`, with a control key of all
                 *     users.
                 */
                layer?: components["schemas"]["SkillLayer"] | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description Delete only if the skill has the version of this digest now; else `version_conflict`. */
                "If-Match"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_skill: {
        parameters: {
            query?: {
                /**
                 * @description Whose skill it is: `user` unless given, or `team`, with a control key of the team, or `org`, with a control key of all
                 *     users.
                 */
                layer?: components["schemas"]["SkillLayer"] | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
                /** @description Change it only if it has the version of this digest now; else `version_conflict`. */
                "If-Match"?: string | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Redacta una compraventa de un piso"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeSkillRequest"];
            };
        };
        responses: {
            /** @description Changed, or unchanged. */
            200: {
                headers: {
                    /** @description The digest of the version. */
                    ETag?: string | undefined;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "updated",
                     *       "skill": "escrituras/compraventa",
                     *       "digest": "sha256:e21b0cc350774e2a8c4c907e3e470e7b17cf02e0c760ea5d9c92d07621cb23af",
                     *       "state": "published",
                     *       "complete": true,
                     *       "kept": [],
                     *       "lint": [],
                     *       "quality": {
                     *         "score": 55,
                     *         "mcp": true,
                     *         "reasons": [
                     *           {
                     *             "code": "description_without_when",
                     *             "points": 20,
                     *             "security": false,
                     *             "message": "the description does not say when to use the skill: add \"Use when …\" with the words people use"
                     *           },
                     *           {
                     *             "code": "description_short",
                     *             "points": 15,
                     *             "security": false,
                     *             "message": "the description has 34 characters: say what the skill does and when to use it, since agents choose by it alone"
                     *           },
                     *           {
                     *             "code": "body_short",
                     *             "points": 10,
                     *             "security": false,
                     *             "message": "the body has 21 characters: say how to do the work step by step"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PublishReply"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, `binary_file`. */
            415: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_usage: {
        parameters: {
            query?: {
                /** @description Count operations that ended then or later. Absent: count all records of the service. */
                since?: string | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How a user's conversations find and use skills. A figure is null if there is nothing to make it from. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "conversations": 1,
                     *       "discovery_rate": 0,
                     *       "discovery_success": null,
                     *       "discovery_to_use_turns": null,
                     *       "approval_rate": null,
                     *       "completion_rate": 1,
                     *       "context_saved_tokens": 27,
                     *       "searches": 0,
                     *       "unanswered": 0,
                     *       "skills": [],
                     *       "default_candidates": []
                     *     }
                     */
                    "application/json": components["schemas"]["Usage"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_versions: {
        parameters: {
            query?: {
                /** @description Versions of one page at most, 1 to 1,000; 100 unless given. */
                limit?: number | undefined;
                /** @description `next_cursor` of the page before. */
                cursor?: string | undefined;
                /** @description Whose skill it is: the user's unless given. The versions of others need a key that may publish there. */
                layer?: components["schemas"]["SkillLayer"] | undefined;
            } | undefined;
            header?: {
                /** @description The client's name for the request: up to 128 letters, digits, `-`, `_` and `.`. The service's log and reply have it. A new one takes the place of any other. */
                "x-request-id"?: components["parameters"]["RequestId"] | undefined;
            } | undefined;
            path: {
                /**
                 * @description The user's id.
                 * @example u1
                 */
                user: string;
                /**
                 * @description The skill path. Its slashes may be written as they are or as `%2F`.
                 * @example escrituras/compraventa
                 */
                skill: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the versions of a skill. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": [
                     *         {
                     *           "digest": "sha256:e21b0cc350774e2a8c4c907e3e470e7b17cf02e0c760ea5d9c92d07621cb23af",
                     *           "published_at": "2026-11-22T17:47:02.706029674Z",
                     *           "by": null,
                     *           "source": null,
                     *           "files": 2,
                     *           "size": 116
                     *         },
                     *         {
                     *           "digest": "sha256:3af208add50c257fd0ecadbc1c1dae71718a210d97407433130939e27c0334f3",
                     *           "published_at": "2026-11-22T17:47:02.706029674Z",
                     *           "by": null,
                     *           "source": "found in the bucket, written by other tools",
                     *           "files": 2,
                     *           "size": 122
                     *         }
                     *       ],
                     *       "current": "sha256:e21b0cc350774e2a8c4c907e3e470e7b17cf02e0c760ea5d9c92d07621cb23af",
                     *       "last_change": {
                     *         "digest": "sha256:e21b0cc350774e2a8c4c907e3e470e7b17cf02e0c760ea5d9c92d07621cb23af",
                     *         "previous": "sha256:3af208add50c257fd0ecadbc1c1dae71718a210d97407433130939e27c0334f3",
                     *         "at": "2026-11-22T17:47:02.706029674Z",
                     *         "by": null,
                     *         "source": null
                     *       },
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["VersionList"];
                };
            };
            /** @description The request is not valid: `invalid_request`, `invalid_path`, `invalid_pattern` and their like. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No key, or one that is unknown or expired. */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["Challenge"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key, the policy, the mount or the Host does not allow it. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing of that name can be seen from here. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state differs from what the caller assumed. */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A body or file over its limit. */
            413: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much at once; wait as `retry-after` says. */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The head of the request is over the limit. */
            431: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A bug; the log has the request id. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store did not answer in time; `outcome` says whether a change may have landed. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
