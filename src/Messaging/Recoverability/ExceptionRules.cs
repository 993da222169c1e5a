using System.Collections.Concurrent;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Recoverability;

/// <summary>What an exception of a handler or part means for its message, by type. Threads: any.</summary>
internal sealed class ExceptionRules
{
    private readonly (string Name, ExceptionRule Rule)[] _names;
    private readonly Dictionary<Type, ExceptionRule> _types = [];
    private readonly ConcurrentDictionary<Type, ExceptionRule> _known = new();

    /// <param name="deadLetterOn">Names of types, full or simple.</param>
    /// <param name="retryOn">Names of types, full or simple.</param>
    /// <param name="types">Those that code added; for the same type a name of the configuration wins.</param>
    public ExceptionRules(IEnumerable<string> deadLetterOn, IEnumerable<string> retryOn, IEnumerable<ExceptionTypeRule> types)
    {
        _names = [.. deadLetterOn.Select(name => (name, ExceptionRule.DeadLetter)), .. retryOn.Select(name => (name, ExceptionRule.Retry))];
        foreach (ExceptionTypeRule added in types)
        {
            _types[added.Type] = added.Rule;
        }
    }

    /// <summary>
    /// The rule for an exception: of the listed types that it is, the most derived one decides. None also for the three exceptions that stand for a settlement.
    /// </summary>
    public ExceptionRule Find(Exception exception) =>
        (_names.Length == 0 && _types.Count == 0) || exception is DeadLetterException or TransientException or ServiceRefusedException
            ? ExceptionRule.None
            : _known.GetOrAdd(exception.GetType(), static (type, rules) => rules.Find(type), this);

    /// <summary>Converts an exception to a settlement; false for an exception that stands for none and has no rule.</summary>
    /// <param name="exception">The exception.</param>
    /// <param name="isCancelled">True when the message's token was cancelled: that may be the cause, whatever the type, so no rule applies.</param>
    /// <param name="settlement">The settlement.</param>
    public bool TryRead(Exception exception, bool isCancelled, out Settlement settlement)
    {
        settlement = exception switch
        {
            DeadLetterException poison => Settlement.DeadLetter(poison.Reason, poison.Message),
            TransientException transient => Settlement.Transient(transient.Message, transient.RetryAfter, transient.RetryInProcess, transient.MayHold),
            ServiceRefusedException => Settlement.Refused(exception.Message),
            _ when isCancelled => default,
            _ => Find(exception) switch
            {
                ExceptionRule.DeadLetter => Settlement.DeadLetter(RecoverabilityPolicy.UnhandledException, UntrustedText.MessageOf(exception)),
                ExceptionRule.Retry => Settlement.Transient(UntrustedText.MessageOf(exception)),
                _ => default,
            },
        };
        if (settlement.IsDecided)
        {
            settlement = settlement with { ExceptionType = exception.GetType().FullName, Exception = exception };
        }

        return settlement.IsDecided;
    }

    private ExceptionRule Find(Type type)
    {
        for (Type? one = type; one is not null && one != typeof(object); one = one.BaseType)
        {
            foreach ((string name, ExceptionRule rule) in _names)
            {
                if (name == one.FullName || name == one.Name)
                {
                    return rule;
                }
            }

            if (_types.TryGetValue(one, out ExceptionRule added))
            {
                return added;
            }
        }

        return ExceptionRule.None;
    }
}

/// <summary>What an exception means for its message.</summary>
internal enum ExceptionRule
{
    /// <summary>Nothing special: it is retried, and dead-lettered after the last delivery.</summary>
    None = 0,

    /// <summary>The message is dead-lettered, without a retry.</summary>
    DeadLetter,

    /// <summary>A fault outside the message: it is retried until it works, and never dead-lettered.</summary>
    Retry,
}

/// <summary>A type of exception that code added; a service of the container.</summary>
/// <param name="Type">The type; derived types count too.</param>
/// <param name="Rule">What it means.</param>
internal sealed record ExceptionTypeRule(Type Type, ExceptionRule Rule);
