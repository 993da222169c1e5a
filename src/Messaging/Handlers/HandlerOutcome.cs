using Messaging.Recoverability;
using Pipeline.Settlements;

namespace Messaging.Handlers;

/// <summary>What a handler's exception says about what the handler calls.</summary>
internal static class HandlerOutcome
{
    /// <summary>Tells the breaker of the exceptions that are about a service and not about the message.</summary>
    public static void TellBreaker(CircuitBreaker breaker, Exception exception)
    {
        switch (exception)
        {
            case RefusedException:
                breaker.Refused(exception.Message);
                break;
            case TransientFaultException:
                breaker.Failed(exception.Message);
                break;
        }
    }
}
