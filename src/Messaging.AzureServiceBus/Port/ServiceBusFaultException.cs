namespace Messaging.AzureServiceBus.Port;

/// <summary>A call of the port failed.</summary>
/// <param name="fault">What failed.</param>
/// <param name="innerException">The client library's exception; null without one.</param>
public sealed class ServiceBusFaultException(ServiceBusFault fault, Exception? innerException = null) : Exception(fault.Message, innerException)
{
    /// <summary>What failed.</summary>
    public ServiceBusFault Fault { get; } = fault;
}

/// <summary>A failure as the worker sees it.</summary>
/// <param name="Kind">What it means.</param>
/// <param name="Message">The library's message: one line, at most 256 bytes, without credentials.</param>
public readonly record struct ServiceBusFault(ServiceBusFaultKind Kind, string Message)
{
    /// <summary>True when an operator must act before messages can be received.</summary>
    public bool IsRefusal => Kind is ServiceBusFaultKind.NotFound or ServiceBusFaultKind.Disabled or ServiceBusFaultKind.Unauthorized or ServiceBusFaultKind.SessionsRequired;
}
