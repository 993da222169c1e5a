namespace Messaging.ServiceBus.Port;

/// <summary>A call of the port failed.</summary>
/// <param name="fault">What failed.</param>
/// <param name="innerException">The client library's exception; null without one.</param>
public sealed class ServiceBusFaultException(ServiceBusFault fault, Exception? innerException = null) : Exception(fault.Message, innerException)
{
    /// <summary>What failed.</summary>
    public ServiceBusFault Fault { get; } = fault;
}
