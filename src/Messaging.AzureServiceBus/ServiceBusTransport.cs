namespace Messaging.AzureServiceBus;

/// <summary>How the connection is made.</summary>
public enum ServiceBusTransport
{
    /// <summary>AMQP over TLS, port 5671.</summary>
    AmqpTcp = 0,

    /// <summary>AMQP over WebSockets, port 443, for networks that block port 5671.</summary>
    AmqpWebSockets,
}
