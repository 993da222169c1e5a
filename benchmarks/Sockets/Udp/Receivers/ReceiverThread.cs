namespace Benchmarks.Sockets.Udp.Receivers;

/// <summary>A thread that receives, for receivers that block.</summary>
internal abstract class ReceiverThread : DatagramReceiver
{
    public override void Start() => new Thread(Receive) { IsBackground = true }.Start();

    /// <summary>Receives until a receive throws.</summary>
    protected abstract void ReceiveForEver();

    private void Receive()
    {
        try
        {
            ReceiveForEver();
        }
        catch (Exception exception) when (IsEnd(exception))
        {
        }
    }
}
