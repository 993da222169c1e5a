namespace Benchmarks.EndToEnd.Server;

/// <summary>What a queue knows of one message; times are timestamps.</summary>
internal struct MessageState
{
    public UInt128 Md5;
    public long HiddenUntil;
    public long HandedOutAt;
    public long DeletedAt;
    public int ReceiveCount;
    public bool IsDeleted;
    public bool IsStored;
}
