using Messaging.Recoverability;
using Microsoft.Extensions.DependencyInjection;

namespace Messaging.Hosting;

/// <summary>
/// Decides by type what an exception of a handler, step or behaviour means for its message, on every route. Derived types count too; of several listed types
/// the most derived one decides. <c>Recoverability:DeadLetterOn</c> and <c>RetryOn</c> do the same by name, and win over the same type here.
/// </summary>
public static class RecoverabilityWorkerBuilderExtensions
{
    /// <summary>Dead-letters a message on the first such exception, with the reason <c>unhandled-exception</c>: for a fault of the message that no retry helps against.</summary>
    /// <typeparam name="TException">The type, such as <see cref="FormatException"/>.</typeparam>
    /// <param name="builder">The worker.</param>
    public static IMessageWorkerBuilder DeadLetterOn<TException>(this IMessageWorkerBuilder builder)
        where TException : Exception => Add<TException>(builder, ExceptionRule.DeadLetter);

    /// <summary>
    /// Treats such an exception as <see cref="Pipeline.Settlements.TransientFaultException"/>: a service that the handler calls is down. The message is retried,
    /// then held or abandoned, and never dead-lettered for it; the fault counts for the route's breaker.
    /// </summary>
    /// <typeparam name="TException">The type, such as <see cref="HttpRequestException"/>.</typeparam>
    /// <param name="builder">The worker.</param>
    public static IMessageWorkerBuilder RetryOn<TException>(this IMessageWorkerBuilder builder)
        where TException : Exception => Add<TException>(builder, ExceptionRule.Retry);

    private static IMessageWorkerBuilder Add<TException>(IMessageWorkerBuilder builder, ExceptionRule rule)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddSingleton(new ExceptionTypeRule(typeof(TException), rule));
        return builder;
    }
}
