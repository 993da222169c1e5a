namespace Messaging.ServiceBus.Port;

/// <summary>A call of the port failed.</summary>
internal sealed class ServiceBusFaultException(ServiceBusFault fault, Exception? innerException = null) : Exception(fault.Message, innerException)
{
    public ServiceBusFault Fault { get; } = fault;
}
