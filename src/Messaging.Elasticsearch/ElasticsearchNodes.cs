using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>
/// Chooses the node of each request: all in turn, without those that failed a short time ago. It sends nothing itself, so a retry on another
/// node is an attempt like any other, with its wait, its count and its budget. Threads: any.
/// </summary>
internal sealed class ElasticsearchNodes
{
    // Each try at a node that is still down costs a batch one of its attempts, so the pause doubles; a node that restarts is used again within a minute.
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan MaxPause = TimeSpan.FromMinutes(1);

    private readonly ElasticsearchNode[] _nodes;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Lock _lock = new();
    private uint _turn;

    public ElasticsearchNodes(ElasticsearchSinkOptions options, TimeProvider time, ILogger logger)
    {
        _nodes = [.. options.Nodes.Select(address => new ElasticsearchNode(address, options))];
        _time = time;
        _logger = logger;
    }

    public int Count => _nodes.Length;

    /// <summary>The node for the next request; when all have failed, the one whose pause ends first.</summary>
    public ElasticsearchNode Next()
    {
        if (_nodes.Length == 1)
        {
            return _nodes[0];
        }

        lock (_lock)
        {
            long now = _time.GetTimestamp();
            ElasticsearchNode? earliest = null;
            for (int i = 0; i < _nodes.Length; i++)
            {
                ElasticsearchNode node = _nodes[_turn++ % (uint)_nodes.Length];
                if (node.Pauses == 0)
                {
                    return node;
                }

                earliest = earliest is null || node.TriedAgainAt < earliest.TriedAgainAt ? node : earliest;
                if (node.TriedAgainAt <= now)
                {
                    // One request tries it, and the others use other nodes until that one has an answer.
                    Pause(node, now);
                    return node;
                }
            }

            return earliest!;
        }
    }

    /// <summary>Learns from a request how its node is.</summary>
    public void Report(ElasticsearchNode node, in BulkFault fault)
    {
        if (_nodes.Length == 1)
        {
            return;
        }

        bool isDown = IsDown(fault);
        bool isNews;
        lock (_lock)
        {
            isNews = isDown != node.Pauses > 0;
            if (isNews && isDown)
            {
                // Requests that were in flight with the first one that failed are no further failures.
                Pause(node, _time.GetTimestamp());
            }
            else if (!isDown)
            {
                node.Pauses = 0;
            }
        }

        if (isNews && isDown)
        {
            _logger.LogNodeDown(node.Root, ElasticsearchAdvice.Describe(fault, "node"), FirstPause);
        }
        else if (isNews)
        {
            _logger.LogNodeUp(node.Root);
        }
    }

    /// <summary>True when another node may do better: no answer, or a proxy's that it got none.</summary>
    public static bool IsDown(in BulkFault fault) =>
        fault.Kind == BulkFaultKind.Transient && fault.Code != BulkFault.NoCredentialsCode && fault.Status is 0 or 502 or 503 or 504;

    private void Pause(ElasticsearchNode node, long now)
    {
        TimeSpan pause = node.Pauses < 4 ? FirstPause * (1 << node.Pauses) : MaxPause;
        node.Pauses++;
        node.TriedAgainAt = now + (long)(pause.TotalSeconds * _time.TimestampFrequency);
    }
}
