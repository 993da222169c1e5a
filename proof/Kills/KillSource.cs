namespace Proof.Kills;

/// <summary>The source of a kill round.</summary>
internal enum KillSource
{
    /// <summary>The seed decides.</summary>
    Any,

    /// <summary>A queue of SQS.</summary>
    Sqs,

    /// <summary>Callers over HTTP.</summary>
    Http,

    /// <summary>A sender of TCP lines.</summary>
    Tcp,

    /// <summary>A queue of Azure Service Bus.</summary>
    ServiceBus,

    /// <summary>A queue of RabbitMQ.</summary>
    RabbitMq,
}
