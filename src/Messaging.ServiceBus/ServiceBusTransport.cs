namespace Messaging.ServiceBus;

/// <summary>How the connection is made.</summary>
public enum ServiceBusTransport
{
    /// <summary>AMQP over TLS, port 5671.</summary>
    AmqpTcp = 0,

    /// <summary>AMQP within WebSockets, port 443, for networks that let nothing else out.</summary>
    AmqpWebSockets,
}
